import { expect } from 'chai';
import type { ApiObject } from '../../src/demo/api-server/object-store.ts';
import { startApiServer } from '../../src/demo/api-server/server.ts';
import { ago } from '../../src/demo/cluster/ago.ts';
import { crashing } from '../../src/demo/cluster/behaviour.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { lease } from '../../src/demo/cluster/manifests.ts';
import type { ClusterPart } from '../../src/demo/cluster/workload-manifests.ts';
import { scenarios } from '../../src/workflows/demo.ts';
import { type ContractCluster, contractCluster } from '../contract-cluster/cluster.ts';

const started = new Date('2026-11-20T10:00:00Z');
const json = 'application/json-patch+json';
const merge = 'application/merge-patch+json';

async function cluster(parts: readonly ClusterPart[]) {
  const server = await startApiServer(clusterContent(parts, started));
  const access = {
    ...{ server: server.url, trust: { ca: server.certificate } },
    administrator: { token: server.token() },
  };
  return Object.assign(contractCluster(access, server.stop), { settle: server.settle });
}

type Cluster = ContractCluster & { settle(at: Date): void };

const partsOf = (slug: string): readonly ClusterPart[] =>
  scenarios.find((scenario) => scenario.slug === slug)?.parts ?? [];

const items = async (on: Cluster, path: string): Promise<readonly ApiObject[]> =>
  ((await on.ask(path)).json as { items: readonly ApiObject[] }).items;

const endpoints = async (on: Cluster, namespace: string): Promise<readonly unknown[]> =>
  (await items(on, `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`)).flatMap(
    (slice) => (slice.endpoints ?? []) as readonly unknown[],
  );

const patch = (on: Cluster, path: string, body: object, contentType = merge) =>
  on.ask(path, { method: 'PATCH', body: JSON.stringify(body), contentType });

const replicasOf = ({ status }: ApiObject) => {
  const { replicas, readyReplicas } = status as { replicas?: number; readyReplicas?: number };
  return { replicas, readyReplicas };
};

describe('the demo cluster accepts writes, and its controllers react to them', () => {
  let on: Cluster;
  afterEach(() => on?.stop());

  it('has endpoints as soon as a Service selects its Pods', async () => {
    on = await cluster(partsOf('selector-matches-no-pod'));
    expect(await endpoints(on, 'billing')).to.deep.equal([]);
    const path = '/api/v1/namespaces/billing/services/billing-policy';
    const { status, json: after } = await patch(on, path, { spec: { selector: { role: 'admission' } } });
    expect([status, (after as ApiObject).spec]).to.deep.include(200);
    expect(await endpoints(on, 'billing')).to.have.length(2);
  });

  it('creates and deletes Pods as a workload is scaled, and counts them in its status', async () => {
    on = await cluster(installation('shop/policy'));
    const path = '/apis/apps/v1/namespaces/shop/deployments/policy';
    for (const replicas of [0, 3]) {
      const scaled = await patch(on, `${path}/scale`, { spec: { replicas } });
      expect(scaled.json).to.include({ kind: 'Scale' });
      expect(await items(on, '/api/v1/namespaces/shop/pods')).to.have.length(replicas);
      expect(await endpoints(on, 'shop')).to.have.length(replicas);
      const deployment = (await on.ask(path)).json as ApiObject;
      expect(replicasOf(deployment)).to.deep.equal({ replicas, readyReplicas: replicas });
      const { observedGeneration } = deployment.status as { observedGeneration: number };
      expect(observedGeneration).to.equal(deployment.metadata.generation);
    }
    // A recreated Pod has another name; Pods of later workloads are as old as the change.
    const pods = await items(on, '/api/v1/namespaces/shop/pods');
    for (const { metadata } of pods)
      expect(Date.parse(metadata.creationTimestamp ?? '')).to.be.at.least(started.getTime());
  });

  it('replaces a Pod that is deleted, with another name', async () => {
    on = await cluster(installation('shop/policy', { deployment: { replicas: 1 } }));
    const [before] = await items(on, '/api/v1/namespaces/shop/pods');
    const path = `/api/v1/namespaces/shop/pods/${before?.metadata.name}`;
    expect((await on.ask(path, { method: 'DELETE' })).status).to.equal(200);
    const after = await items(on, '/api/v1/namespaces/shop/pods');
    expect(after).to.have.length(1);
    expect(after[0]?.metadata.name).to.not.equal(before?.metadata.name);
    expect((await on.ask(path)).status).to.equal(404);
  });

  it('crashes again while the same program is started, and not with another one', async () => {
    on = await cluster(
      installation('shop/policy', { deployment: { replicas: 1, pods: [crashing(2, 'no such flag\n')] } }),
    );
    const path = '/apis/apps/v1/namespaces/shop/deployments/policy';
    const at = '/spec/template/spec/containers/0';
    const restart = { spec: { template: { metadata: { annotations: { restarted: 'now' } } } } };
    await patch(on, path, restart);
    expect(replicasOf((await on.ask(path)).json as ApiObject).readyReplicas).to.equal(0);
    await patch(on, path, [{ op: 'add', path: `${at}/args`, value: ['--flag'] }], json);
    expect(replicasOf((await on.ask(path)).json as ApiObject).readyReplicas).to.equal(1);
    // The input of `kubectl rollout undo`.
    expect(await items(on, '/apis/apps/v1/namespaces/shop/replicasets')).to.have.length(3);
  });

  it('starts Pods that waited for a Secret, a ServiceAccount or the quota', async () => {
    on = await cluster([...partsOf('service-account-missing'), ...partsOf('quota-exhausted')]);
    expect(await endpoints(on, 'certificates')).to.deep.equal([]);
    const account = {
      ...{ apiVersion: 'v1', kind: 'ServiceAccount' },
      metadata: { name: 'certificate-policy' },
    };
    const created = await on.ask('/api/v1/namespaces/certificates/serviceaccounts', {
      method: 'POST',
      body: JSON.stringify(account),
    });
    expect(created.status).to.equal(201);
    expect(await endpoints(on, 'certificates')).to.have.length(2);
    const [quota] = await items(on, '/api/v1/resourcequotas');
    const { namespace = '', name } = quota?.metadata ?? {};
    const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`;
    expect(await endpoints(on, namespace)).to.deep.equal([]);
    expect((await on.ask(path, { method: 'DELETE' })).status).to.equal(200);
    expect(await endpoints(on, namespace)).to.have.length(2);
  });

  it('refuses new Pods while their own webhook must be called and is missing; running Pods stay', async () => {
    on = await cluster(partsOf('own-pods-blocked'));
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/job-webhook';
    const policy = (value: string) =>
      patch(on, path, [{ op: 'replace', path: '/webhooks/0/failurePolicy', value }], json);
    expect(await endpoints(on, 'jobs')).to.deep.equal([]);
    await policy('Ignore');
    expect(await endpoints(on, 'jobs')).to.have.length(2);
    await policy('Fail');
    expect(await endpoints(on, 'jobs')).to.have.length(2);
  });

  it('refuses writes for which a webhook that does not respond must be called', async () => {
    on = await cluster(partsOf('selector-matches-no-pod'));
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} });
    const create = () => on.ask('/api/v1/namespaces/default/configmaps', { method: 'POST', body });
    const refused = await create();
    expect([refused.status, refused.text]).to.deep.include(500);
    expect(refused.text).to.include('failed calling webhook \\"billing-policy.example.com\\"');
    const path = '/api/v1/namespaces/billing/services/billing-policy';
    await patch(on, path, { spec: { selector: { role: 'admission' } } });
    expect((await create()).status).to.equal(201);
    expect((await create()).status).to.equal(409);
  });

  it('sends events to watchers', async () => {
    on = await cluster(installation('shop/policy'));
    const list = (await on.ask('/api/v1/namespaces/shop/services')).json as ApiObject;
    const since = list.metadata.resourceVersion;
    const path = '/api/v1/namespaces/shop/services/policy';
    await patch(on, path, { metadata: { labels: { seen: 'yes' } } });
    const watch = `/api/v1/namespaces/shop/services?watch=1&timeoutSeconds=1&resourceVersion=${since}`;
    const lines = (await on.ask(watch)).text.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { type: string; object: ApiObject });
    expect(events.map(({ type, object }) => [type, object.metadata.labels?.seen])).to.deep.equal([
      ['MODIFIED', 'yes'],
    ]);
  });

  it('is the same an hour later: repeated events are recent', async () => {
    on = await cluster([
      ...installation('shop/policy', { deployment: { pods: [crashing(1, 'no\n')] } }),
      lease('shop/kept', 'policy'),
      { ...lease('shop/forgotten', 'policy'), spec: { renewTime: ago('2h'), holderIdentity: 'nobody' } },
    ]);
    const ages = async (at: Date) => {
      on.settle(at);
      const age = (time: unknown) => Math.round((at.getTime() - Date.parse(String(time))) / 60_000);
      const leases = await items(on, '/apis/coordination.k8s.io/v1/leases');
      const events = await items(on, '/api/v1/namespaces/shop/events');
      const [pod] = await items(on, '/api/v1/namespaces/shop/pods');
      return {
        leases: leases.map(({ spec }) => age((spec as { renewTime: string }).renewTime)),
        events: events.map(({ lastTimestamp }) => age(lastTimestamp)),
        pod: age(pod?.metadata.creationTimestamp),
      };
    };
    const before = await ages(started);
    const after = await ages(new Date(started.getTime() + 3_600_000));
    expect(after.events).to.deep.equal(before.events);
    expect([before.leases, after.leases]).to.deep.equal([
      [120, 0],
      [180, 0],
    ]);
    // A single event is an hour older.
    expect(after.pod - before.pod).to.equal(60);
  });
});
