import { expect } from 'chai';
import { collectAll } from '../../support/collect-all.ts';
import { recordedReader } from '../../support/recorded-reader.ts';
import { namespace, pod, service, webhook } from '../../support/snapshot.ts';

const crashed = pod({
  status: {
    conditions: [],
    containerStatuses: [
      {
        name: 'webhook',
        ready: false,
        restartCount: 1,
        state: {},
        lastState: { terminated: { exitCode: 1 } },
      },
    ],
  },
});

async function read(text: string): Promise<string | undefined> {
  const { name, ...client } = { name: webhook().webhook, clientConfig: webhook().client };
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
      { metadata: { name: 'policy' }, webhooks: [{ name, ...client }] },
    ],
    '/api/v1/services': [service()],
    '/api/v1/namespaces': [namespace()],
    '/api/v1/namespaces/shop/pods': [crashed],
    '/api/v1/namespaces/shop/pods/policy-1/log': text,
  });
  const { snapshot } = await collectAll(reader);
  return snapshot.facts.logs.get('shop/policy-1/webhook');
}

describe('the log of a crashed container', () => {
  it('is what the program wrote', async () => {
    const text = 'starting\nunable to retrieve container logs for containerd://1\n';
    expect(await read(text)).to.equal(text);
  });

  for (const excuse of [
    'unable to retrieve container logs for containerd://b76dbdeacccce5b5fb0e1c4c6846edd777391ad8242cdfe456712d72a64a7528',
    'failed to try resolving symlinks in path "/var/log/pods/x/2.log": lstat /var/log/pods/x: no such file or directory\n',
  ]) {
    it(`is empty where the kubelet says: ${excuse.slice(0, 40)}…`, async () =>
      expect(await read(excuse)).to.equal(''));
  }
});
