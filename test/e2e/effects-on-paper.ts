import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';

/** The webhooks that have blocked and held Pods according to the objects, and their Services. */
export const webhooks = [
  { webhook: 'pods.guard.example.com', service: 'guard' },
  { webhook: 'park.guard.example.com', service: 'tainted' },
] as const;

/** The error of the API server if the Service has no listening endpoint. */
export const sentenceOf = (
  { webhook, service }: { readonly webhook: string; readonly service: string },
  namespace: string,
): string =>
  `failed calling webhook "${webhook}": failed to call webhook: Post "https://${service}.${namespace}.svc:443/validate?timeout=1s": dial tcp 192.0.2.21:443: connect: connection refused`;

/** Both webhooks. No request matches them: no Namespace has that label, and dry runs are not tested here. */
const configurations = (namespace: string): readonly KubeObject[] =>
  webhooks.map(({ webhook, service }, at) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: at === 0 ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration',
    metadata: { name: `${webhook.split('.')[0]}-${namespace}` },
    webhooks: [
      {
        name: webhook,
        clientConfig: { service: { namespace, name: service, path: '/validate' } },
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
 * Effects of webhooks as objects show them without controllers: FailedCreate events of four kinds, a Pod with
 * a placeholder schedulerName, a Pod of Service guard that waits for its volume, and one of Service tainted
 * that cannot be scheduled.
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
  const tainted = pod('tainted', { namespace, labels: { app: 'tainted' } }, {});
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
    scene.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'tainted' },
      spec: { selector: { app: 'tainted' }, ports: [{ port: 443, targetPort: 8443 }] },
    }),
    scene.create(tainted),
    scene.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'guard' },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    }),
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
