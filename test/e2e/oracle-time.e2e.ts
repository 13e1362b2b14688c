import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  caseName,
  compared,
  configurationName,
  type RecordedTime,
  webhookName,
} from '../apiserver/budget/recorded-time.ts';
import type { Answer, Client, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { authority, issue } from '../support/certificates.ts';
import { alike, recordAnswers } from '../support/recordings.ts';
import { type HangingChain, hangingChain, type Lived } from './hanging-chain.ts';
import { type Hook, type TimeCase, timeCases } from './time-cases.ts';

/** Webhooks at https://127.0.0.1:PORT/CASE/NAME that behave as the case defines, and record the calls. */
async function timedWebhooks(
  calls: Map<number, string[]>,
): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'policy-ca' });
  const { cert, key } = await issue(ca, { ips: ['127.0.0.1'] });
  const rounds = new Map<string, number>();
  const server = createServer({ cert, key }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const [, number = '', name = ''] = request.url?.split(/[/?]/) ?? [];
      const index = Number(number);
      const hook = timeCases[index]?.hooks.find((one) => one.name === name);
      const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
      const answer = (over: object) =>
        response.setHeader('content-type', 'application/json').end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid, allowed: true, ...over },
          }),
        );
      const seen = calls.get(index) ?? [];
      calls.set(index, seen);
      if (hook === undefined) {
        seen.push('sentinel');
        answer({});
        return;
      }
      const round = rounds.get(`${number}/${name}`) ?? 0;
      rounds.set(`${number}/${name}`, round + 1);
      const timeout = /timeout=([^&]*)/.exec(request.url ?? '')?.[1];
      seen.push(
        `${hook.kind}/${configurationName(index, hook)}/${webhookName(index, hook)}?timeout=${timeout}`,
      );
      const does = (round > 0 ? hook.does[1] : undefined) ?? hook.does[0];
      if (does === 'hangs') return;
      setTimeout(() => {
        if (does.says === 'breaks') response.writeHead(503).end();
        else if (does.says === 'denies') answer({ allowed: false, status: { message: 'no' } });
        else if (does.says === 'changes') answer(labelPatch(`${name}-${round}`));
        else answer({});
      }, does.after * 1000);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://127.0.0.1:${port}`, ca: ca.cert };
}

function labelPatch(name: string): object {
  const patch = [{ op: 'add', path: `/metadata/labels/${name}`, value: 'x' }];
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

/** The configurations of a case with their webhooks. */
function configurationsOf(index: number, { hooks }: TimeCase, url: string, ca: string): KubeObject[] {
  const entry = (hook: Hook): object => ({
    name: webhookName(index, hook),
    clientConfig: {
      url: `${url}/${index}/${hook.name}`,
      caBundle: Buffer.from(ca).toString('base64'),
    },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    objectSelector: { matchLabels: { case: caseName(index) } },
    failurePolicy: hook.failurePolicy,
    timeoutSeconds: hook.timeoutSeconds,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...(hook.reinvocationPolicy ? { reinvocationPolicy: hook.reinvocationPolicy } : {}),
  });
  const keys = [...new Set(hooks.map((hook) => `${hook.kind} ${configurationName(index, hook)}`))];
  return keys.map((key) => {
    const [kind, name = ''] = key.split(' ');
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: hooks.filter((hook) => `${hook.kind} ${configurationName(index, hook)}` === key).map(entry),
    };
  });
}

const configMap = (name: string, label: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { case: label } },
});

function send(client: Client, namespace: string, index: number, timeCase: TimeCase): Promise<Answer> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const name = caseName(index);
  const query = `dryRun=All${timeCase.timeout === undefined ? '' : `&timeout=${timeCase.timeout}s`}`;
  switch (timeCase.request) {
    case 'UPDATE':
      return client.request(
        'PATCH',
        `${path}/${name}?${query}`,
        { data: { x: 'y' } },
        'application/merge-patch+json',
      );
    case 'DELETE':
      return client.request('DELETE', `${path}/${name}?${query}`);
    case 'DELETE all':
      return client.request('DELETE', `${path}?${query}&labelSelector=case%3D${name}`);
    default:
      return client.request('POST', `${path}?${query}`, configMap('probe', name));
  }
}

const counters =
  /^apiserver_admission_webhook_((?:request_total|rejection_count|fail_open_count)\{[^}]*\}) (\d+)$/gm;

/** Counters of the webhooks of each case. */
async function metricsOf(client: Client): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const [, series = '', count] of (await client.text('/metrics')).matchAll(counters)) {
    const of = /name="[^"]*\.(t\d+)\.example\.com"/.exec(series)?.[1];
    if (of !== undefined) found.set(of, [...(found.get(of) ?? []), `${series} ${count}`]);
  }
  return found;
}

/** Annotations about webhooks by audit id. */
function auditOf(file: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const events = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    events.map((line) => {
      const { auditID, annotations = {} } = JSON.parse(line) as {
        auditID: string;
        annotations?: Readonly<Record<string, string>>;
      };
      const ours = Object.entries(annotations).filter(([key]) => key.includes('webhook.admission.k8s.io/'));
      return [auditID, Object.fromEntries(ours)];
    }),
  );
}

const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', resources: [{ group: '', resources: ['configmaps'] }] }, { level: 'None' }],
});

describe('the time limits of slow webhooks', function () {
  needs('api-server');
  this.timeout(180_000);
  let version: string | undefined;
  countAgreement('time', () => version);
  const recorded = new Map<number, RecordedTime>();
  const calls = new Map<number, string[]>();
  let scene: Scene;
  let server: Server;
  const chains: HangingChain[] = [];
  const lived = new Map<string, Promise<Lived>>();
  const folder = mkdtempSync(join(tmpdir(), 'oracle-time-'));

  before(async () => {
    const log = join(folder, 'audit.log');
    writeFileSync(join(folder, 'policy.json'), auditPolicy);
    const { client, kubeconfig } = await apiServer({
      arguments: [`--audit-policy-file=${join(folder, 'policy.json')}`, `--audit-log-path=${log}`],
    });
    scene = await openScene(client);
    const webhooks = await timedWebhooks(calls);
    server = webhooks.server;
    const { url, ca } = webhooks;
    for (const [index, { request = 'CREATE' }] of timeCases.entries()) {
      if (request !== 'CREATE') await scene.create(configMap(caseName(index), caseName(index)));
    }
    for (const [index, timeCase] of timeCases.entries()) {
      for (const object of configurationsOf(index, timeCase, url, ca)) await scene.create(object);
    }
    for (const [name, seconds] of [
      ['too-long', 12],
      ['long', 5],
    ] as const) {
      chains.push(await hangingChain(scene, kubeconfig, name, seconds));
    }
    // The last ones of both kinds: when they are called, the others are known as well.
    const sentinel = timeCases.length;
    for (const kind of ['mutating', 'validating'] as const) {
      const last: Hook = {
        kind,
        configuration: `z-${kind}`,
        name: 'sentinel',
        timeoutSeconds: 5,
        failurePolicy: 'Fail',
        does: ['hangs'],
      };
      for (const object of configurationsOf(sentinel, { name: '', hooks: [last] }, url, ca)) {
        await scene.create(object);
      }
    }
    await waitFor('all webhooks to be known', async () => {
      calls.delete(sentinel);
      await send(client, scene.namespace, sentinel, { name: '', hooks: [] });
      return calls.get(sentinel)?.length === 2;
    });
    const before = await metricsOf(client);
    expect([...before.keys()]).to.deep.equal([caseName(sentinel)]);
    const audited = new Map<number, string>();
    for (const chain of chains) lived.set(chain.namespace, chain.live());
    const asked = timeCases.map(async (timeCase, index) => {
      // Not all handshakes at the same time, which would change the measured seconds.
      await sleep(index * 120);
      const start = performance.now();
      const answer = await send(client, scene.namespace, index, timeCase).catch(() => undefined);
      const seconds = Math.round((performance.now() - start) / 10) / 100;
      const refused = answer === undefined || answer.status >= 400;
      const id = answer?.headers['audit-id'];
      if (typeof id === 'string') audited.set(index, id);
      recorded.set(index, {
        name: timeCase.name,
        url,
        seconds,
        message: answer !== undefined && refused ? messageIn(answer) : '',
        ...(answer === undefined ? { hungUp: true } : {}),
        calls: calls.get(index) ?? [],
      });
    });
    await Promise.all([...asked, ...lived.values()]);
    const metrics = await metricsOf(client);
    await waitFor('the audit log', () => [...audited.values()].every((id) => auditOf(log).has(id)));
    const annotations = auditOf(log);
    for (const [index, one] of recorded) {
      const audit = annotations.get(audited.get(index) ?? '');
      recorded.set(index, {
        ...one,
        ...(audit === undefined ? {} : { audit }),
        metrics: [...(metrics.get(caseName(index)) ?? [])].toSorted(),
      });
    }
    version = (JSON.parse(await client.text('/version')) as { gitVersion: string }).gitVersion;
    const all = [...recorded.values()];
    recordAnswers('time', version, new Map(all.map((one) => [one.name, alike({ ...one, seconds: 0 })])));
    recordAnswers('seconds', version, new Map(all.map(({ name, seconds }) => [name, seconds])));
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    for (const chain of chains) await chain.close();
    await scene?.leave();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [index, { name }] of timeCases.entries()) {
    it(name, () => {
      const one = recorded.get(index);
      if (one === undefined) throw new Error('It was not asked');
      const { model, real } = compared(one, version ?? '');
      expect(real).to.deep.equal(model);
    });
  }

  const livedThrough = (name: string): Promise<Lived> => {
    const found = lived.get(`${name}-${scene.namespace}`);
    if (found === undefined) throw new Error(`Nobody asked ${name}`);
    return found;
  };

  it('doctor predicts that a request times out before the last of them', async () => {
    const { said, seconds, findings } = await livedThrough('too-long');
    const found = findings.find(({ check }) => check === 'timeout-budget-exceeded');
    expect(found?.severity).to.equal('warning');
    expect(found?.message).to.include(
      'reaches 3 mutating webhooks in sequence; their timeouts add up to 36 s, above the 34 s limit',
    );
    expect(found?.message.endsWith(`: ${said}`), `${said}; ${found?.message}`).to.equal(true);
    expect(seconds).to.be.within(33.5, 45);
  });

  it('doctor reports nothing if the request completes after all of them', async () => {
    const { said, seconds, findings } = await livedThrough('long');
    expect(said).to.equal('passes');
    expect(seconds).to.be.greaterThan(14.5);
    expect(findings.map(({ check }) => check)).to.not.include('timeout-budget-exceeded');
  });
});

function messageIn({ body }: Answer): string {
  try {
    return String((JSON.parse(body) as { message?: string }).message ?? body);
  } catch {
    return body;
  }
}
