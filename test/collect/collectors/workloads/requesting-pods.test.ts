import { expect } from 'chai';
import type { ReadErrorReason } from '../../../../src/collect/cluster.ts';
import { collectAll } from '../../../support/collect-all.ts';
import { recordedReader } from '../../../support/recorded-reader.ts';
import { namespace, pod } from '../../../support/snapshot.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], scope: '*' };
const webhookFor = (name: string, resources: readonly string[]) => ({
  metadata: { name },
  webhooks: [
    {
      name,
      failurePolicy: 'Fail',
      rules: [{ ...rule, resources }],
      clientConfig: { service: { namespace: 'injectors', name: 'injector' } },
    },
  ],
});
const made = (name: string, annotations: Readonly<Record<string, string>> = {}, home = 'web') =>
  pod({ metadata: { name, namespace: home, annotations } });
const agent = { 'vault.hashicorp.com/agent-inject': 'true' };

async function reading(
  configuration: object,
  { failure, ...options }: { readonly failure?: ReadErrorReason; readonly examineAll?: boolean } = {},
) {
  const reader = recordedReader(
    {
      [configurations]: [configuration],
      '/api/v1/namespaces': ['web', 'kube-system'].map((name) => ({ ...namespace(), metadata: { name } })),
      '/api/v1/pods': [
        made('web-1', agent),
        made('web-2'),
        made('web-3', agent, 'kube-system'),
        { ...made('web-4', agent), status: { phase: 'Succeeded' } },
      ],
    },
    failure === undefined ? {} : { '/api/v1/pods': failure },
  );
  const { snapshot } = await collectAll(reader, options);
  const { requestingPods } = snapshot.facts;
  return {
    names: requestingPods.getIfKnown('Pods')?.map(({ metadata }) => metadata.name),
    asked: reader.asked.filter((path) => path.startsWith('/api/v1/pods?limit')),
    unread: snapshot.notLookedAt.filter(({ what }) => JSON.stringify(what).includes('request injection')),
  };
}

describe('requestingPods', () => {
  const vault = webhookFor('vault.hashicorp.com', ['pods']);

  it('are those of one page that request injection, without ended ones and those of system namespaces', async () => {
    const { names, asked } = await reading(vault);
    expect(names).to.deep.equal(['web-1']);
    expect(asked).to.deep.equal(['/api/v1/pods?limit=500']);
  });

  it('are of a larger page if webhooks are examined', async () => {
    expect((await reading(vault, { examineAll: true })).asked).to.deep.equal(['/api/v1/pods?limit=2000']);
  });

  it('are not read without an injector', async () => {
    expect(await reading(webhookFor('policy', ['pods', 'services']))).to.deep.include({
      names: undefined,
      asked: [],
    });
  });

  for (const [examineAll, count] of [
    [true, 1],
    [false, 0],
  ] as const)
    it(`are unknown if they may not be listed, ${count} time reported as not read`, async () => {
      const { names, unread } = await reading(vault, { failure: 'forbidden', examineAll });
      expect(names).to.equal(undefined);
      expect(unread).to.have.length(count);
    });
});
