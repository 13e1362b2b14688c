import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import type { ScanReport } from '../../src/scan/scan-report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { startComponent, stopComponent } from '../cluster/component.ts';
import { waitForApiServer } from '../cluster/control-plane.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs, type TestCluster } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

const auditPolicy = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
});

/** An HTTPS webhook on this machine that denies; with a delay at /slow. */
async function denier(): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'counted' });
  const pair = await issue(ca, { ips: ['127.0.0.1'] });
  const server = createServer({ key: pair.key, cert: pair.cert }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
      const answer = JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid, allowed: false, status: { message: 'not here' } },
      });
      const wait = request.url?.startsWith('/slow') ? 1_200 : 0;
      setTimeout(() => response.setHeader('content-type', 'application/json').end(answer), wait);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://127.0.0.1:${port}/`, ca: Buffer.from(ca.cert).toString('base64') };
}

/** A CRD with two versions and a conversion webhook without a backend. */
const things = (group: string, namespace: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: { type: 'object' } },
    })),
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace, name: 'nowhere', path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    },
  },
});

describe('what the API server counted and logged', function () {
  needs('api-server');
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'counted-'));
  const log = join(folder, 'audit.log');
  let cluster: TestCluster;
  let scene: Scene;
  let server: Server | undefined;
  /** The number of requests that ended in each way. */
  const made = { closed: 0, open: 7, denies: 4, broken: 0, slow: 3, conversions: 0, reallyOpen: 0 };
  const group = 'counted.example.com';

  const hook = (name: string, over: object): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: `counted-${name}` },
    webhooks: [
      {
        name: `${name}.counted.example.com`,
        clientConfig: { service: { namespace: scene.namespace, name: 'nowhere', path: '/' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
        objectSelector: { matchLabels: { to: name } },
        failurePolicy: 'Fail',
        timeoutSeconds: 3,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...over,
      },
    ],
  });
  const send = (to: string, dryRun = true): Promise<string> =>
    scene
      .create(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'x-', labels: { to } } },
        { dryRun },
      )
      .then(
        () => '',
        (error: Error) => error.message,
      );
  const doctor = async (name: string, ...flags: string[]): Promise<readonly FindingReport[]> => {
    const args = [
      'doctor',
      `counted-${name}`,
      '--kubeconfig',
      cluster.kubeconfig,
      '--probe',
      'none',
      '-o',
      'json',
    ];
    const { stdout, stderr } = await plugin([...args, ...flags]);
    expect(stdout, stderr).to.not.equal('');
    return (JSON.parse(stdout) as DoctorReport).findings;
  };
  const messages = (findings: readonly FindingReport[], check: string): readonly string[] =>
    findings.filter((finding) => finding.check === check).map(({ message }) => message);
  /** Reads a log, and the cluster unless `flags` prevent it: that sends dry runs, which are logged. */
  const scan = async (file: string, ...flags: string[]): Promise<ScanReport> => {
    const args = ['scan', file, '--kubeconfig', cluster.kubeconfig, '-o', 'json'];
    const { stdout, stderr } = await plugin([...args, ...flags]);
    expect(stdout, stderr).to.not.equal('');
    return JSON.parse(stdout) as ScanReport;
  };

  before(async () => {
    writeFileSync(join(folder, 'policy.json'), auditPolicy);
    cluster = await apiServer({
      arguments: [`--audit-policy-file=${join(folder, 'policy.json')}`, `--audit-log-path=${log}`],
    });
    scene = await openScene(cluster.client);
    const denies = await denier();
    server = denies.server;
    await scene.create(hook('open', { failurePolicy: 'Ignore' }));
    await scene.create(hook('denies', { clientConfig: { url: denies.url, caBundle: denies.ca } }));
    await scene.create(
      hook('broken', { matchConditions: [{ name: 'c', expression: 'object.data.absent == "x"' }] }),
    );
    // Most of its timeout; on a very busy machine it may also time out.
    await scene.create(
      hook('slow', { clientConfig: { url: `${denies.url}slow`, caBundle: denies.ca }, timeoutSeconds: 2 }),
    );
    await scene.create(things(group, scene.namespace));
    await scene.create(hook('healthy', { clientConfig: { url: denies.url, caBundle: denies.ca } }));
    // The last one: when it is called, the others are known as well.
    await scene.create(hook('closed', {}));
    await waitFor('the webhooks to be known', async () => {
      const known = (await send('closed')) !== '';
      if (known) made.closed += 1;
      return known;
    });
    for (let count = 0; count < 4; count += 1) {
      expect(await send('closed')).to.include('service "nowhere" not found');
      made.closed += 1;
    }
    for (let count = 0; count < made.open; count += 1) expect(await send('open')).to.equal('');
    for (let count = 0; count < made.denies; count += 1) expect(await send('denies')).to.include('not here');
    const late = await Promise.all(Array.from({ length: made.slow }, () => send('slow')));
    for (const said of late) expect(said).to.include('slow.counted.example.com');
    const thing = { apiVersion: `${group}/v2`, kind: 'Thing', metadata: { name: 'one' } };
    await waitFor('conversions that fail', () =>
      scene.create(thing, { dryRun: true }).then(
        () => false,
        ({ message }: Error) => {
          const failed = message.includes('conversion webhook');
          if (failed) made.conversions += 1;
          return failed && made.conversions >= 3;
        },
      ),
    );
    for (let count = 0; count < 2; count += 1) {
      expect(await send('broken')).to.include('no such key');
      made.broken += 1;
    }
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
    rmSync(folder, { recursive: true, force: true });
  });

  it('counts the rejections, in the window of this API server', async () => {
    const [message = ''] = messages(await doctor('closed'), 'rejections-counted');
    expect(message).to.match(
      new RegExp(`^${made.closed} requests were refused since 20\\S+Z because calls to closed\\.counted`),
    );
    const started = Date.parse(/since (\S+Z)/.exec(message)?.[1] ?? '');
    expect(Date.now() - started).to.be.within(0, 180_000);
  });

  it('counts slow calls, and names the webhook', async () => {
    const [message = ''] = messages(await doctor('slow'), 'latency-counted');
    expect(message).to.match(
      new RegExp(
        `^${made.slow} of only ${made.slow} calls to slow\\.counted\\.example\\.com took longer than 1 s since 20`,
      ),
    );
  });

  it('counts failed conversions, and names what the stored version makes unreadable', async () => {
    const { stdout, stderr } = await plugin([
      ...['doctor', `crd/things.${group}`, '--kubeconfig', cluster.kubeconfig],
      ...['--probe', 'none', '-o', 'json'],
    ]);
    expect(stdout, stderr).to.not.equal('');
    const { findings } = JSON.parse(stdout) as DoctorReport;
    expect(messages(findings, 'conversions-failed-counted')[0]).to.match(
      new RegExp(
        `^${made.conversions} of ${made.conversions} conversions of things\\.${group} failed since 20`,
      ),
    );
    expect(messages(findings, 'conversion-blocks-stored-versions')).to.deep.equal([
      'Thing is stored as v1: it cannot be read or written as v2',
    ]);
  });

  it('counts calls that failed open, and warns that dry runs may be all of them', async () => {
    const findings = await doctor('open');
    expect(messages(findings, 'fail-open-counted')[0]).to.match(
      new RegExp(
        `^Requests were admitted without open\\.counted\\.example\\.com ${made.open} times \\(possibly all in dry runs\\) since`,
      ),
    );
    const now = findings.find(({ check }) => check === 'failing-open-now');
    expect(now?.evidence.map(({ value }) => value).join(' ')).to.match(
      new RegExp(`\\b${made.open}, counting since`),
    );
  });

  it('counts errors of matchConditions', async () => {
    expect(messages(await doctor('broken'), 'match-condition-errors-counted')[0]).to.include(
      `failed ${made.broken} times since`,
    );
  });

  it('finds the Pods that an injector missed', async () => {
    const made = await scene.apply({
      ...hook('injector', {}),
      kind: 'MutatingWebhookConfiguration',
      webhooks: [
        {
          ...hook('injector', {}).webhooks[0],
          name: 'vault.hashicorp.com',
          failurePolicy: 'Ignore',
          // Its namespace has no workload that waits for it.
          clientConfig: { service: { namespace: 'vault', name: 'nowhere', path: '/' } },
          objectSelector: {},
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        },
      ],
    });
    const podOf = (annotations: Record<string, string>): Promise<KubeObject> =>
      scene.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'shop-', annotations },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/none' }] },
      });
    const wants = { 'vault.hashicorp.com/agent-inject': 'true' };
    await podOf({ ...wants, 'vault.hashicorp.com/agent-inject-status': 'injected' });
    await podOf({});
    // Both times are in whole seconds.
    const missed = await waitFor('a Pod that is younger than the webhook, and passed it by', async () => {
      const pod = await podOf(wants);
      const younger = String(pod.metadata.creationTimestamp) > String(made.metadata.creationTimestamp);
      if (younger && messages(await doctor('injector'), 'fail-open-counted').length > 0) return pod;
      await scene.client.delete(pod);
      return undefined;
    });
    const [message = ''] = messages(await doctor('injector'), 'pods-without-injection');
    expect(message).to.match(
      new RegExp(
        `^1 Pod has no Vault agent \\(${scene.namespace}/${missed.metadata.name}\\), although matched by vault\\.hashicorp\\.com: requests were admitted without it (once|\\d+ times) since 20`,
      ),
    );
  });

  it('reports nothing for a webhook that denies, and for one that was never called', async () => {
    for (const name of ['denies', 'healthy']) {
      const counted = (await doctor(name)).filter(({ check }) => check.endsWith('-counted'));
      expect(counted, name).to.deep.equal([]);
    }
  });

  it('reports what was counted between two reads', async () => {
    const [over = ''] = messages(await doctor('open', '--sample', '1s'), 'fail-open-counted');
    expect(over).to.match(
      new RegExp(
        `^Requests were admitted without \\S+ ${made.open} times \\(possibly all .*\\) since .* none within the last \\d+ s`,
      ),
    );
    let read = false;
    const sending = (async () => {
      for (; !read; made.reallyOpen += 1) await send('open', false);
    })();
    const [goingOn = ''] = messages(await doctor('open', '--sample', '2s'), 'fail-open-counted');
    read = true;
    await sending;
    expect(goingOn).to.match(
      /^Requests are being admitted without open\.counted\.example\.com: \d+ requests? within/,
    );
  });

  it('finds the same numbers in the audit log, and the same cluster', async () => {
    const of = async (...flags: string[]) => {
      const report = await scan(log, ...flags);
      return { report, by: new Map(report.callouts.map((callout) => [callout.name, callout])) };
    };
    // Dry runs first, then one real request.
    await waitFor('the audit log', async () => {
      const { by } = await of('--no-cluster');
      return by.get('open.counted.example.com')?.dryRuns.count === made.open;
    });
    const real = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'x-', labels: { to: 'closed' } },
    };
    await scene.create(real).then(
      () => expect.fail('it was admitted'),
      () => undefined,
    );
    await waitFor(
      'the last request',
      async () => (await of('--no-cluster')).by.get('closed.counted.example.com')?.failures.count === 1,
    );
    const { report, by } = await of();
    // It also examines in the cluster what failed: with one dry run.
    made.open += 1;
    const closed = by.get('closed.counted.example.com');
    expect(closed?.dryRuns.count).to.equal(made.closed);
    expect(closed?.failures.count).to.equal(1);
    expect(closed?.causes.map(({ cause }) => cause)).to.deep.equal(['service-missing']);
    expect(by.get('denies.counted.example.com')?.dryRuns.count).to.equal(made.denies);
    expect(by.get('denies.counted.example.com')?.denials.count).to.equal(0);
    expect(by.get('open.counted.example.com')?.failedOpen.count).to.equal(made.reallyOpen);
    expect(report.summary.denials).to.equal(0);
    expect(by.has('healthy.counted.example.com')).to.equal(false);
    const live = report.live?.find(({ name }) => name === 'closed.counted.example.com');
    expect(live?.state).to.equal('failing');
    expect(live?.because).to.include('service-missing');
  });

  it('finds the cause of failing open in the log of the API server', async () => {
    const file = join(cluster.folder ?? '', 'log', 'kube-apiserver.log');
    const { callouts } = await scan(file);
    const open = callouts.find(({ name }) => name === 'open.counted.example.com');
    expect(open?.failedOpen.count).to.equal(made.open + made.reallyOpen);
    // The API server logs two lines for each.
    expect(open?.failures.count).to.equal(made.open + made.reallyOpen);
    expect(open?.causes.map(({ cause }) => cause)).to.deep.equal(['service-missing']);
    expect(Math.abs(Date.parse(open?.failures.last ?? '') - Date.now())).to.be.lessThan(180_000);
  });

  it('prints rules for these webhooks', async () => {
    const { code, stdout } = await plugin(['alerts', '--kubeconfig', cluster.kubeconfig, '-o', 'plain']);
    expect(code).to.equal(0);
    expect(stdout).to.include('name="open.counted.example.com",type="validating"');
    expect(stdout).to.match(/> 1\.5\b/);
  });

  it('counts from zero after a restart of the API server', async () => {
    const folderOf = cluster.folder ?? '';
    const { pid } = JSON.parse(readFileSync(join(folderOf, 'kube-apiserver.pid'), 'utf8')) as { pid: number };
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    let restarted = 0;
    // It exits at once if its port is still in use.
    for (let tries = 1; restarted === 0; tries += 1) {
      await stopComponent(folderOf, 'kube-apiserver', 'SIGKILL');
      const began = Date.now();
      startComponent(folderOf, 'kube-apiserver', command, []);
      const up = waitForApiServer(folderOf, cluster.client);
      if (tries === 5) await up;
      restarted = await up.then(
        () => began,
        () => 0,
      );
    }
    let fresh = 0;
    await waitFor('the webhook to be called', async () => {
      if ((await send('closed')).includes('failed calling webhook')) fresh += 1;
      return fresh >= 2;
    });
    const [message = ''] = messages(await doctor('closed'), 'rejections-counted');
    expect(message).to.match(new RegExp(`^${fresh} requests were refused since`));
    const started = Date.parse(/since (\S+Z)/.exec(message)?.[1] ?? '');
    expect(started).to.be.within(restarted - 2_000, restarted + 30_000);
  });
});
