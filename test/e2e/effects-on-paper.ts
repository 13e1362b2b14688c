import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';

/** Names of the webhooks that have stopped and parked Pods, by what the objects say. */
export const webhooks = ['pods.guard.example.com', 'park.guard.example.com'] as const;

/** What the API server says where nothing listens behind Service guard. */
export const sentenceOf = (webhook: string, namespace: string): string =>
  `failed calling webhook "${webhook}": failed to call webhook: Post "https://guard.${namespace}.svc:443/validate?timeout=1s": dial tcp 192.0.2.21:443: connect: connection refused`;

/**
 * Both webhooks behind Service guard. Nothing that anybody makes comes to them: no Namespace has that label, and the dry
 * runs that they would call for are another matter.
 */
const configurations = (namespace: string): readonly KubeObject[] =>
  webhooks.map((name, at) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: at === 0 ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration',
    metadata: { name: `${name.split('.')[0]}-${namespace}` },
    webhooks: [
      {
        name,
        clientConfig: { service: { namespace, name: 'guard', path: '/validate' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { [`${namespace}.example.com/nobody`]: 'yes' } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
        timeoutSeconds: 1,
      },
    ],
  }));

const container = { name: 'main', image: 'none' };

/**
 * What webhooks did to others, as objects tell it where no controller runs: FailedCreate events of four kinds, a Pod that
 * waits for a scheduler that nobody runs, and Pods of the backend that find no node and no volume.
 */
export async function furnishEffects(scene: Scene): Promise<void> {
  const { namespace } = scene;
  const elsewhere = 'default';
  const labels = { app: 'guard' };
  const controller = { controller: true, uid: '00000000-0000-0000-0000-000000000000' };
  const pod = (name: string, metadata: object, spec: object): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [container], ...spec },
  });
  const tainted = pod('guard-tainted', { namespace, labels }, {});
  const refused = (kind: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `refused-${kind.toLowerCase()}` },
    type: 'Warning',
    reason: 'FailedCreate',
    message: `Error creating: Internal error occurred: ${sentenceOf(webhooks[0], namespace)}`,
    involvedObject: { apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1', kind, namespace, name: 'cart' },
    lastTimestamp: new Date().toISOString(),
  });
  await Promise.all([
    ...configurations(namespace).map((object) => scene.create(object)),
    ...['ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job'].map((kind) => scene.create(refused(kind))),
    scene.create(
      pod(
        `parked-${namespace}`,
        {
          namespace: elsewhere,
          labels: { 'pod-template-hash': '5d9' },
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-5d9', ...controller }],
        },
        {
          schedulerName: 'nobody',
          containers: [{ ...container, envFrom: [{ configMapRef: { name: 'settings' } }] }],
        },
      ),
    ),
    scene.create(
      pod(
        'guard-claiming',
        { labels },
        { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
      ),
    ),
    scene.create(tainted),
  ]);
  await scene.client.patch(
    tainted,
    {
      status: {
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: '0/1 nodes are available: 1 node(s) had untolerated taint(s).',
          },
        ],
      },
    },
    'status',
  );
}
