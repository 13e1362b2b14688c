import { expect } from 'chai';
import { collectAll } from '../../../support/collect-all.ts';
import { recordedReader } from '../../../support/recorded-reader.ts';
import { namespace, pod, service, slice, webhook, workload } from '../../../support/snapshot.ts';

/** The lists of workloads that a run without names reads if the backend has these endpoints. */
async function listed(
  slices: readonly unknown[],
  pods: readonly unknown[] = [],
  { services = [service()], annotations = {}, revision = '1' } = {},
): Promise<readonly string[]> {
  const { webhook: name, client: clientConfig } = webhook();
  const deployment = workload({
    metadata: { annotations: { 'deployment.kubernetes.io/revision': revision } },
  });
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
      { metadata: { name: 'policy', annotations }, webhooks: [{ name, clientConfig }] },
    ],
    '/api/v1/services': services,
    '/api/v1/namespaces': [namespace()],
    '/apis/discovery.k8s.io/v1/endpointslices': slices,
    '/api/v1/namespaces/shop/pods': pods,
    '/apis/apps/v1/namespaces/shop/deployments': [deployment],
  });
  await collectAll(reader, { examineAll: false, topics: ['failures'] });
  return reader.asked.filter((path) => path.startsWith('/apis/apps/v1/'));
}

const lists = (...kinds: readonly string[]) => kinds.map((kind) => `/apis/apps/v1/namespaces/shop/${kind}`);

describe('workloads of a run without names', () => {
  it('are read if a backend is broken', async () => {
    expect(await listed([])).to.deep.equal(lists('deployments'));
  });

  it('include the ReplicaSets of the Deployment if it was rolled out before: the rollout may have broken the Pods', async () => {
    const unready = pod({ status: { conditions: [] } });
    const replicaSets = '/apis/apps/v1/namespaces/shop/replicasets?labelSelector=app=policy';
    expect(await listed([], [unready], { revision: '2' })).to.deep.equal([
      ...lists('deployments'),
      replicaSets,
    ]);
    expect(await listed([], [unready])).to.deep.equal(lists('deployments'));
  });

  it('are read for a missing Service only if they show whether its installation is left', async () => {
    const helm = { 'meta.helm.sh/release-name': 'acme', 'meta.helm.sh/release-namespace': 'shop' };
    expect(await listed([], [], { services: [] })).to.deep.equal([]);
    expect(await listed([], [], { services: [], annotations: helm })).to.deep.equal(
      lists('deployments', 'replicasets', 'statefulsets', 'daemonsets'),
    );
  });

  it('include all kinds if a Pod is of another kind than the Deployment with its labels', async () => {
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'policy', uid: '1', controller: true },
    ];
    const unready = pod({ metadata: { ownerReferences }, status: { conditions: [] } });
    expect(await listed([], [unready])).to.include.members(
      lists('deployments', 'statefulsets', 'daemonsets'),
    );
  });

  it('are read for a product that registers its webhooks itself, and has neither endpoints nor webhooks', async () => {
    const kyverno = service({}, { name: 'kyverno-svc' });
    const services = [service(), kyverno];
    expect(await listed([slice()], [pod()], { services })).to.deep.equal(lists('deployments'));
    const serves = slice(undefined, {
      metadata: {
        name: 'kyverno-svc-x',
        namespace: 'shop',
        labels: { 'kubernetes.io/service-name': 'kyverno-svc' },
      },
    });
    expect(await listed([slice(), serves], [pod()], { services })).to.deep.equal([]);
  });

  it('are not read for a backend that looks healthy', async () => {
    expect(await listed([slice()], [pod()])).to.deep.equal([]);
  });
});
