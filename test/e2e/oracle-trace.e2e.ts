import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { changedIn, compared, everyFourth, type RecordedTrace } from '../apiserver/trace/recorded-trace.ts';
import type { Answer, Client } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { countAgreement } from '../oracle/agreement.ts';
import { alike, recordAnswers } from '../support/recordings.ts';
import { backends } from './scripted-backends.ts';
import {
  configurations,
  definition,
  group,
  namespaces,
  requests,
  stored,
  type TracedRequest,
} from './trace-cases.ts';

const methods = { CREATE: 'POST', UPDATE: 'PUT', DELETE: 'DELETE', CONNECT: 'GET' };

/**
 * A dry run; `resourceVersion` is that of the stored object, which the update of a custom resource requires.
 */
function send(client: Client, { request, object }: TracedRequest, resourceVersion?: string): Promise<Answer> {
  const { group: of, version, resource, namespace, name, operation } = request;
  const root = of === '' ? '/api/v1' : `/apis/${of}/${version}`;
  const place = `${root}/namespaces/${namespace}/${resource}${operation === 'CREATE' ? '' : `/${name}`}`;
  const body =
    object && resourceVersion !== undefined
      ? { ...object, metadata: { ...object.metadata, resourceVersion } }
      : object;
  return client.request(methods[operation], `${place}?dryRun=All`, body);
}

function auditOf(file: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  return new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const { auditID, annotations = {} } = JSON.parse(line) as {
          readonly auditID: string;
          readonly annotations?: Readonly<Record<string, string>>;
        };
        const ours = Object.entries(annotations).filter(([key]) => key.includes('webhook.admission.k8s.io/'));
        return [auditID, Object.fromEntries(ours)] as const;
      }),
  );
}

const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'Request',
      resources: [
        { group: '', resources: ['configmaps'] },
        { group, resources: ['widgets'] },
      ],
    },
    { level: 'None' },
  ],
});

describe('the webhooks that a request reaches, their order, and their effects', function () {
  needs('api-server');
  // Four hundred requests in sequence.
  this.timeout(600_000);
  let version: string | undefined;
  countAgreement('trace', () => version);
  const recorded = new Map<number, RecordedTrace>();
  let scene: Scene;
  let server: Server | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'oracle-trace-'));

  before(async () => {
    const log = join(folder, 'audit.log');
    writeFileSync(join(folder, 'policy.json'), auditPolicy);
    const { client } = await apiServer({
      arguments: [`--audit-policy-file=${join(folder, 'policy.json')}`, `--audit-log-path=${log}`],
    });
    scene = await openScene(client);
    for (const [index, name] of namespaces.entries()) {
      await scene.create({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name, labels: index === 0 ? { team: 'a' } : {} },
      });
    }
    await scene.create(definition);
    const versions = new Map<string, string>();
    for (const object of stored) {
      const { metadata } = await waitFor(`${object.kind} ${object.metadata.name}`, () =>
        scene.create(object),
      );
      versions.set(object.metadata.name ?? '', String(metadata.resourceVersion));
    }
    const { server: started, url, ca } = await backends();
    server = started;
    for (const object of configurations(url, Buffer.from(ca).toString('base64'))) await scene.create(object);
    // The last one of the validating kind, and the last mutating one that the first request matches.
    await waitFor('all webhooks to be known', async () => {
      const [denied, shrunk] = await Promise.all([
        send(client, probe({ tier: 'db', noop: 'yes' })),
        send(client, probe({ shrink: 'yes' })),
      ]);
      return denied.body.includes('of-tier.example.com') && shrunk.body.includes('shrunk');
    });
    const ids = new Map<number, string>();
    for (const [index, request] of requests.entries()) {
      const old = request.request.operation === 'UPDATE' && request.request.group !== '';
      const answer = await send(client, request, old ? versions.get(request.request.name) : undefined);
      const body = JSON.parse(answer.body) as { readonly message?: string };
      ids.set(index, String(answer.headers['audit-id']));
      const refused = answer.status >= 400;
      recorded.set(index, {
        name: request.name,
        message: refused ? String(body.message) : '',
        audit: {},
        ...(refused || request.object === undefined ? {} : { object: changedIn(body) }),
      });
    }
    await waitFor('the audit log', () => [...ids.values()].every((id) => auditOf(log).has(id)));
    const annotations = auditOf(log);
    for (const [index, one] of recorded)
      recorded.set(index, { ...one, audit: annotations.get(ids.get(index) ?? '') ?? {} });
    version = (JSON.parse(await client.text('/version')) as { gitVersion: string }).gitVersion;
    recordAnswers(
      'trace',
      version,
      new Map(
        [...recorded.values()].filter((_, at) => at % everyFourth === 0).map((one) => [one.name, alike(one)]),
      ),
    );
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const [index, { name }] of requests.entries()) {
    it(name, () => {
      const one = recorded.get(index);
      if (one === undefined) throw new Error('It was not asked');
      const { model, real } = compared(index, one, version ?? '');
      expect(model).to.deep.equal(real);
    });
  }
});

/** A ConfigMap with these labels. */
function probe(labels: Record<string, string>): TracedRequest {
  const metadata = { name: 'probe', namespace: namespaces[1], labels };
  return {
    name: 'probe',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    request: {
      operation: 'CREATE',
      group: '',
      version: 'v1',
      resource: 'configmaps',
      namespace: namespaces[1],
      name: 'probe',
    },
  };
}
