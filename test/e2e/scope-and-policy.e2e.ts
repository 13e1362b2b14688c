import { expect } from 'chai';
import { startBackend } from '../../src/demo/backend/backend.ts';
import type { DoctorReport, FindingReport } from '../../src/diagnose/report.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';
import { doctorSays } from './doctor-says.ts';
import {
  address,
  configurationOf,
  endsIn,
  outside,
  refusedFor,
  rule,
  sendDry,
  type Write,
  within,
} from './dry-writes.ts';

interface Covering {
  readonly check: string;
  readonly webhook: object;
  /** The error in the routing mode of an API server, if it is not that of the closed URL. */
  readonly refusal?: string;
  readonly writes: readonly Write[];
  /** Parts of the finding's message. */
  readonly says: readonly string[];
  /** The webhook after the advice of the check. */
  readonly mended: object;
}

const patch = (does: string, path: string, body: object): Write => ({ does, method: 'PATCH', path, body });

describe('doctor on a real API server: what a webhook blocks', function () {
  needs('api-server');
  this.timeout(120_000);
  let scene: Scene;
  let kubeconfig: string;
  let home: string;
  const others: string[] = [];

  before(async () => {
    const cluster = await apiServer({ aggregatorRouting: true });
    ({ kubeconfig } = cluster);
    scene = await openScene(cluster.client);
    home = scene.namespace;
  });
  after(() => scene?.leave());

  const send = (write: Write) => sendDry(scene.client, write);
  const ends = (write: Write, wanted: string) => endsIn(scene.client, write, wanted);

  const findingsAbout = async (name: string): Promise<readonly FindingReport[]> =>
    (await doctorSays(kubeconfig, name)).findings;

  const namespace = async (name: string, labels: Record<string, string> = {}): Promise<string> => {
    const full = `${name}-${home}`;
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: full, labels } });
    others.push(full);
    return full;
  };

  /** Broken and reported; after the advice without a finding and without an effect. */
  async function live({ check, webhook, refusal, writes, says, mended }: Covering): Promise<void> {
    const name = `${check}-${home}`;
    for (const write of writes) expect(await send(write), write.does).to.equal('passes');
    const configuration = configurationOf(name, webhook);
    await scene.create(configuration);
    for (const write of writes) await ends(write, refusal ?? refusedFor(`${name}.example.com`));
    const found = (await findingsAbout(name)).find((one) => one.check === check);
    expect(found, check).to.include({ severity: 'warning', confidence: 'derived' });
    // The message names the first requests, the evidence all rules.
    const told = JSON.stringify([found?.message, found?.evidence]);
    for (const part of says) expect(told).to.include(part);
    // The fix is possible whatever it matches: configurations are never sent to webhooks.
    await scene.client.patch(configuration, { webhooks: configurationOf(name, mended).webhooks });
    for (const write of writes) await ends(write, 'passes');
    expect((await findingsAbout(name)).map((one) => one.check)).to.not.include(check);
    await scene.client.delete(configuration);
  }

  it('covers-node-heartbeats: a node’s Lease and status are not updated', async () => {
    const node = `node-${home}`;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
    await scene.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
    await scene.create({
      ...lease,
      metadata: { name: node, namespace: 'kube-node-lease' },
      spec: { holderIdentity: node, leaseDurationSeconds: 40 },
    });
    await live({
      check: 'covers-node-heartbeats',
      webhook: {
        rules: [rule('coordination.k8s.io', '*', 'leases'), rule('core', 'UPDATE', 'nodes nodes/*')],
      },
      writes: [
        patch('a heartbeat', `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node}`, {
          spec: { renewTime: '2026-01-01T00:00:00.000000Z' },
        }),
        patch('a report of the node’s state', `/api/v1/nodes/${node}/status`, {
          status: { conditions: [{ type: 'Ready', status: 'True' }] },
        }),
      ],
      says: ['updates of Leases', 'updates of nodes/status', 'lose leader election'],
      mended: {
        rules: [rule('coordination.k8s.io', '*', 'leases'), rule('core', 'UPDATE', 'nodes')],
        namespaceSelector: outside('kube-system', 'kube-node-lease'),
      },
    });
  });

  it('covers-own-configuration-path: its own Deployment cannot be scaled, its Secret cannot be renewed', async () => {
    const labels = { app: 'guard' };
    const apps = `/apis/apps/v1/namespaces/${home}/deployments/guard`;
    await scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'guard' },
      spec: { selector: labels, ports: [{ port: 443, targetPort: 8443 }] },
    });
    await scene.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'guard' }, stringData: {} });
    await scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'guard' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'guard', image: 'registry.example.com/guard' }] },
        },
      },
    });
    const webhook = {
      clientConfig: { service: { namespace: home, name: 'guard' } },
      rules: [rule('apps', 'UPDATE', 'deployments deployments/scale'), rule('core', '*', 'secrets')],
    };
    const check = 'covers-own-configuration-path';
    await live({
      check,
      webhook,
      refusal: `Internal error occurred: failed calling webhook "${check}-${home}.example.com": failed to call webhook: Post "https://guard.${home}.svc:443/?timeout=5s": no endpoints available for service "guard"`,
      writes: [
        patch('scaling it up', `${apps}/scale`, { spec: { replicas: 2 } }),
        patch('another image', apps, { spec: { template: { metadata: { annotations: { again: 'yes' } } } } }),
        patch('a new certificate', `/api/v1/namespaces/${home}/secrets/guard`, {
          stringData: { 'tls.crt': 'new' },
        }),
      ],
      says: [
        'updates of Deployments, updates of deployments/scale',
        'of secrets in ',
        `in its own namespace ${home}`,
        'these writes are refused',
      ],
      mended: { ...webhook, namespaceSelector: outside(home) },
    });
  });

  it('covers-deletion: no Pod and no namespace can be deleted', async () => {
    const going = await namespace('going');
    await scene.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'old', namespace: going },
      spec: { containers: [{ name: 'old', image: 'registry.example.com/old' }] },
    });
    const rules = [rule('core', '*', 'pods namespaces')];
    const namespaceSelector = within(going);
    await live({
      check: 'covers-deletion',
      webhook: { rules, namespaceSelector },
      writes: [
        { does: 'the end of a Pod', method: 'DELETE', path: `/api/v1/namespaces/${going}/pods/old` },
        { does: 'the end of a namespace', method: 'DELETE', path: `/api/v1/namespaces/${going}` },
      ],
      says: ['deletion of Pods', 'deletion of Namespaces', `in namespace ${going}`, 'Pods stay Terminating'],
      mended: { rules: [rule('core', 'CREATE UPDATE', 'pods namespaces')], namespaceSelector },
    });
  });

  it('covers-everything: the cluster is read-only, except for the webhook configurations', async () => {
    await live({
      check: 'covers-everything',
      webhook: { rules: [rule('*', '*', '*/*')] },
      writes: [
        {
          does: 'a ConfigMap',
          method: 'POST',
          path: `/api/v1/namespaces/${home}/configmaps`,
          body: { metadata: { name: 'new' } },
        },
        { does: 'a Node', method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: 'new' } } },
        {
          does: 'a ClusterRole',
          method: 'POST',
          path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
          body: { metadata: { name: 'new' } },
        },
      ],
      says: ['intercepts every write of any resource and subresource', 'rule 1 matches */*'],
      mended: { rules: [rule('core', 'CREATE', 'secrets')], namespaceSelector: within(home) },
    });
  });

  const configMapIn = (where: string): Write => ({
    does: `a ConfigMap in ${where}`,
    method: 'POST',
    path: `/api/v1/namespaces/${where}/configmaps`,
    body: { metadata: { name: 'new' } },
  });

  it('namespace-opted-out: objects with the label are not checked, all others are rejected', async () => {
    const label = 'admission.gatekeeper.sh/ignore';
    const webhook = 'validation.gatekeeper.sh';
    const [shop, empty, bank] = [await namespace('shop'), await namespace('empty'), await namespace('bank')];
    for (const where of [shop, bank])
      await scene.create({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', namespace: where },
        spec: { ports: [{ port: 80 }] },
      });
    const name = `opted-out-${home}`;
    const byName = within(shop, empty, bank).matchExpressions;
    await scene.create(
      configurationOf(name, {
        name: webhook,
        rules: [rule('core', 'CREATE', 'configmaps')],
        namespaceSelector: { matchExpressions: [...byName, { key: label, operator: 'DoesNotExist' }] },
      }),
    );
    for (const where of others.slice(-3)) await ends(configMapIn(where), refusedFor(webhook));
    const quiet = (await findingsAbout(name)).map(({ check }) => check);
    expect(quiet).to.not.include('namespace-opted-out');

    for (const where of [shop, empty]) {
      const path = `/api/v1/namespaces/${where}?fieldManager=a-tenant`;
      const body = { metadata: { labels: { [label]: 'yes' } } };
      const { status } = await scene.client.request('PATCH', path, body, 'application/merge-patch+json');
      expect(status).to.equal(200);
    }
    for (const where of [shop, empty]) await ends(configMapIn(where), 'passes');
    await ends(configMapIn(bank), refusedFor(webhook));
    const told = (await findingsAbout(name)).filter(({ check }) => check === 'namespace-opted-out');
    const [inUse, idle] = told;
    expect(told.map(({ severity }) => severity)).to.deep.equal(['warning', 'info']);
    expect(inUse?.message).to.include(`are not enforced in namespace ${shop}, excluded by label ${label}`);
    expect(inUse?.evidence[0]?.value).to.match(/^yes, by a-tenant at /);
    expect(idle?.message).to.include(`namespace ${empty}`);
    await scene.client.delete(configurationOf(name, {}));
  });

  it('policy-fails-open: the webhook is not called, and invalid objects are admitted', async () => {
    const where = await namespace('policed');
    const name = `policy-${home}`;
    const webhook = 'validation.gatekeeper.sh';
    const policy = (failurePolicy: string) => ({
      name: webhook,
      failurePolicy,
      rules: [rule('core', 'CREATE', 'configmaps')],
      namespaceSelector: within(where),
    });
    const checks = async () => (await findingsAbout(name)).map(({ check }) => check);
    await scene.create(configurationOf(name, policy('Fail')));
    await ends(configMapIn(where), refusedFor(webhook));
    expect(await checks()).to.not.include('policy-fails-open');

    const failOpens = async (): Promise<number> => {
      const counted = /^apiserver_admission_webhook_fail_open_count\{[^}]*name="([^"]*)"[^}]*\} (\d+)$/gm;
      const all = [...(await scene.client.text('/metrics')).matchAll(counted)];
      return Number(all.find(([, of]) => of === webhook)?.[2] ?? 0);
    };
    const before = await failOpens();
    await scene.client.patch(configurationOf(name, {}), {
      webhooks: configurationOf(name, policy('Ignore')).webhooks,
    });
    await ends(configMapIn(where), 'passes');
    expect(await failOpens()).to.be.greaterThan(before);
    const found = (await findingsAbout(name)).find(({ check }) => check === 'policy-fails-open');
    expect(found).to.include({ severity: 'warning' });
    expect(found?.message).to.match(
      /^When calls to validation\.gatekeeper\.sh fail, .* are not enforced: .*Gatekeeper sets failurePolicy Ignore$/,
    );
    await scene.client.delete(configurationOf(name, {}));
  });

  it('timeout-too-short: a response that takes most of the time, and soon more than that', async () => {
    const [where, name] = [await namespace('timed'), `timed-${home}`];
    const ca = await authority({ cn: 'webhook-ca' });
    const certificate = await issue(ca, { ips: [address] });
    const start = (delay: number, port = 0) => startBackend({ certificate, bind: address, delay, port });
    const [slow, quick] = await Promise.all([start(2300), start(0)]);
    const { port } = slow;
    const at = (port: number, seconds: number) => ({
      clientConfig: {
        url: `https://${address}:${port}/check`,
        caBundle: Buffer.from(ca.cert).toString('base64'),
      },
      timeoutSeconds: seconds,
      namespaceSelector: within(where),
    });
    const ofKind = (one: string) => ({ rules: [rule('core', 'CREATE', one)] });
    const [slowName, quickName] = [`slow-${name}`, `quick-${name}`];
    const secret = { ...configMapIn(where), path: `/api/v1/namespaces/${where}/secrets` };
    try {
      await scene.create(configurationOf(slowName, { ...at(port, 4), ...ofKind('configmaps') }));
      await scene.create(configurationOf(quickName, { ...at(quick.port, 4), ...ofKind('secrets') }));
      await waitFor('the slow one to be asked', async () => {
        const started = performance.now();
        return (await send(configMapIn(where))) === 'passes' && performance.now() - started > 2200;
      });
      await ends(secret, 'passes');
      const [tight, wide] = await Promise.all(
        [slowName, quickName].map(async (one) => {
          const { stdout } = await plugin(['doctor', one, '--kubeconfig', kubeconfig, '-o', 'json']);
          return JSON.parse(stdout) as DoctorReport;
        }),
      );
      const found = tight?.findings.find(({ check }) => check === 'timeout-too-short');
      expect(found).to.include({ severity: 'warning', confidence: 'observed' });
      expect(found?.message).to.match(/took 2\.\d s of the 4 s timeout to respond \(timeoutSeconds\)/);
      expect(tight?.callouts[0]?.verdict.state).to.equal('healthy');
      expect(wide?.findings.map(({ check }) => check)).to.not.include('timeout-too-short');
    } finally {
      await Promise.all([slow.close(), quick.close()]);
    }
    const slower = await start(30_000, port);
    try {
      const words = `failed calling webhook "${slowName}.example.com": failed to call webhook: Post "https://${address}:${port}/check?timeout=4s": context deadline exceeded`;
      await ends(configMapIn(where), `Internal error occurred: ${words}`);
    } finally {
      await slower.close();
    }
  });
});
