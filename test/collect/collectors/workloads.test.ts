import { expect } from 'chai';
import { collectAll } from '../../support/collect-all.ts';
import { recordedReader } from '../../support/recorded-reader.ts';
import { namespace, pod, service, webhook } from '../../support/snapshot.ts';

const deployments = '/apis/apps/v1/namespaces/shop/deployments';

/** The lists of workloads that a run without names reads if the backend has this Pod. */
async function listed(status: object, spec: object = {}): Promise<readonly string[]> {
  const { webhook: name, client: clientConfig } = webhook();
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
      { metadata: { name: 'policy' }, webhooks: [{ name, clientConfig }] },
    ],
    '/api/v1/services': [service()],
    '/api/v1/namespaces': [namespace()],
    '/api/v1/namespaces/shop/pods': [pod({ spec, status: { conditions: [], ...status } })],
  });
  await collectAll(reader, { examineAll: false, topics: ['failures'] });
  return reader.asked.filter((path) => path.startsWith('/apis/apps/v1/'));
}

const waiting = (reason: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'webhook', ready: false, restartCount: 0, state: { waiting: { reason } } }],
});

describe('workloads of a run without names', () => {
  it('are read for a Pod that waits for volumes: another workload may write its Secret', async () => {
    expect(await listed(waiting('ContainerCreating'))).to.include(deployments);
  });

  it('are not read for a Pod that has no node, cannot create its container, or runs and is not ready', async () => {
    expect(await listed(waiting('CreateContainerConfigError'))).to.deep.equal([]);
    expect(await listed(waiting('ContainerCreating'), { nodeName: undefined })).to.deep.equal([]);
    expect(await listed({ phase: 'Running' })).to.deep.equal([]);
  });
});
