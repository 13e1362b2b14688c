import { expect } from 'chai';
import { collectAll } from '../../support/collect-all.ts';
import { recordedReader } from '../../support/recorded-reader.ts';
import { namespace, pod, service, slice, webhook, workload } from '../../support/snapshot.ts';

/** The lists of workloads that a run without names reads if the backend has these endpoints. */
async function listed(slices: readonly unknown[], pods: readonly unknown[] = []): Promise<readonly string[]> {
  const { webhook: name, client: clientConfig } = webhook();
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
      { metadata: { name: 'policy' }, webhooks: [{ name, clientConfig }] },
    ],
    '/api/v1/services': [service()],
    '/api/v1/namespaces': [namespace()],
    '/apis/discovery.k8s.io/v1/endpointslices': slices,
    '/api/v1/namespaces/shop/pods': pods,
    '/apis/apps/v1/namespaces/shop/deployments': [workload()],
  });
  await collectAll(reader, { examineAll: false, topics: ['failures'] });
  return reader.asked.filter((path) => path.startsWith('/apis/apps/v1/'));
}

const lists = (...kinds: readonly string[]) => kinds.map((kind) => `/apis/apps/v1/namespaces/shop/${kind}`);

describe('workloads of a run without names', () => {
  it('are read if a backend is broken', async () => {
    expect(await listed([])).to.deep.equal(lists('deployments'));
  });

  it('include the ReplicaSets if the backend has Pods: a rollout may have broken them', async () => {
    const unready = pod({ status: { conditions: [] } });
    expect(await listed([], [unready])).to.include.members(lists('deployments', 'replicasets'));
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

  it('are not read for a backend that looks healthy', async () => {
    expect(await listed([slice()], [pod()])).to.deep.equal([]);
  });
});
