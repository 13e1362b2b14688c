import { expect } from 'chai';
import { collectAll } from '../../support/collect-all.ts';
import { recordedReader } from '../../support/recorded-reader.ts';
import { namespace, pod, service, slice, webhook } from '../../support/snapshot.ts';

/** The lists of workloads that a run without names reads if the backend has these endpoints. */
async function listed(...slices: readonly unknown[]): Promise<readonly string[]> {
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
    '/api/v1/namespaces/shop/pods': [pod({ status: { conditions: [] } })],
  });
  await collectAll(reader, { examineAll: false, topics: ['failures'] });
  return reader.asked.filter((path) => path.startsWith('/apis/apps/v1/'));
}

describe('workloads of a run without names', () => {
  it('are read if a backend is broken, also if it has Pods: their workload shows what changed', async () => {
    expect(await listed()).to.include('/apis/apps/v1/namespaces/shop/deployments');
  });

  it('are not read for a backend that looks healthy', async () => {
    expect(await listed(slice())).to.deep.equal([]);
  });
});
