import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { Job } from '../../../src/facts/objects/pod-controller.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { lists, pod, webhook } from '../../support/snapshot.ts';
import { encoded } from './bundles.ts';
import { issued, served } from './serving.ts';

export const empty = '';
const service = { namespace: 'shop', name: 'policy', port: 443 };

/** The webhook of shop/policy with this caBundle; another CA signed the certificates of its replicas. */
export const withBundle = (
  caBundle: string,
  metadata: Parameters<typeof webhook>[0] = {},
  over: Partial<Facts> = {},
): Partial<Facts> =>
  served('', [{ presented: issued().presented }], {
    callouts: [webhook({ client: { service, caBundle: encoded(caBundle) }, ...metadata })],
    ...over,
  });

/** The second Job of kube-webhook-certgen, as in the chart of ingress-nginx. */
export const patchJob = (status: Job['status'], over: Partial<Job['spec']> = {}): Job => ({
  metadata: { namespace: 'shop', name: 'policy-patch', creationTimestamp: '2025-12-31T20:00:00Z' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            name: 'patch',
            image: 'registry.example/ingress-nginx/kube-webhook-certgen:v1.6.3',
            args: [
              'patch',
              '--webhook-name=policy',
              '--namespace=$(POD_NAMESPACE)',
              '--patch-mutating=false',
            ],
          },
        ],
      },
    },
    ...over,
  },
  ...(status === undefined ? {} : { status }),
});

/** A Job of this name, whose template names neither Secret nor Service. It succeeded, unless `status` says otherwise. */
export const checkJob = (name: string, status: Job['status'] = { succeeded: 1 }): Job => ({
  metadata: { namespace: 'shop', name, creationTimestamp: '2025-12-31T20:00:00Z' },
  spec: { template: { spec: { containers: [{ name: 'main', image: 'registry.example/probe:1' }] } } },
  ...(status === undefined ? {} : { status }),
});

/** A running Pod of the Deployment policy, by the hash of its ReplicaSet. */
export const ofRevision = (
  hash: string,
  at: string,
  over: { metadata?: Partial<Pod['metadata']>; status?: Partial<Pod['status']> } = {},
): Pod =>
  pod({
    metadata: {
      name: `policy-${hash}-abcde`,
      uid: `uid-${hash}`,
      creationTimestamp: at,
      labels: { app: 'policy', 'pod-template-hash': hash },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `policy-${hash}`,
          uid: `rs-${hash}`,
          controller: true,
        },
      ],
      ...over.metadata,
    },
    status: { phase: 'Running', ...over.status },
  });

export const inShop = <T>(...all: readonly T[]) => lists({ shop: all });
