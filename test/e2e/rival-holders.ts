import { deployBackend } from '../cluster/backend-pods.ts';
import type { KubeObject } from '../cluster/client.ts';
import type { Scene } from '../cluster/scene.ts';
import { waitFor } from '../cluster/wait.ts';
import type { Authority } from '../support/certificates.ts';

/** The scheduling gate of Pods and the schedulerName of templates; neither name shows its owner. */
export const gate = 'hold.example.test/wait';
const gang = 'gang';

/** The Service of a webhook: it gates Pods, changes the schedulerName of templates, or changes nothing. */
type Backend = 'gates' | 'gangs' | 'passes';

const backends: Readonly<Record<Backend, readonly string[]>> = {
  gates: patching('/spec/schedulingGates', [{ name: gate }]),
  gangs: patching('/spec/template/spec/schedulerName', gang),
  passes: [],
};

function patching(path: string, value: unknown): readonly string[] {
  return ['--answer', 'patch', '--patch', JSON.stringify([{ op: 'add', path, value }])];
}

export const rivalOf = (side: 'left' | 'right', namespace: string): string => `${side}-${namespace}`;

/** A configuration with two webhooks, one for Pods and one for Deployments of the namespace. */
function rival(
  side: 'left' | 'right',
  namespace: string,
  ca: Authority,
  [ofPods, ofDeployments]: readonly [Backend, Backend],
): KubeObject {
  const webhook = (name: string, service: Backend, group: string, values: readonly string[]) => ({
    name: `${name}.${side}.test`,
    clientConfig: {
      service: { namespace, name: service, path: '/' },
      caBundle: Buffer.from(ca.cert).toString('base64'),
    },
    rules: [{ apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE'], resources: [name] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    objectSelector: { matchExpressions: [{ key: 'held', operator: 'In', values }] },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    timeoutSeconds: 5,
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: rivalOf(side, namespace) },
    webhooks: [
      // Pods that were gated by their creator match only the right one.
      webhook('pods', ofPods, '', side === 'left' ? ['as-pod'] : ['as-pod', 'by-author']),
      webhook('deployments', ofDeployments, 'apps', ['as-template']),
    ],
  };
}

const container = { name: 'main', image: 'none', imagePullPolicy: 'Never' };

/** Its Pods have the label if Pods are held; if templates are held, they must not. */
const deployment = (name: string, namespace: string, held: 'as-pod' | 'as-template'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace, labels: { held } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name, ...(held === 'as-pod' ? { held } : {}) } },
      spec: { containers: [container] },
    },
  },
});
const pod = (name: string, namespace: string, held: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { held } },
  spec: { containers: [container], ...spec },
});

/**
 * Two webhooks for the same Pods, and two for the same Deployments; the left ones hold them. A Pod of a
 * Deployment and a bare Pod are gated, a template has another scheduler, and one Pod was gated by its
 * creator.
 */
export async function furnishRivals(scene: Scene, namespace: string, ca: Authority): Promise<void> {
  await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const inside: Scene = {
    ...scene,
    namespace,
    create: (object, options) =>
      scene.create({ ...object, metadata: { namespace, ...object.metadata } }, options),
  };
  await Promise.all(
    Object.entries(backends).map(([name, args]) => deployBackend(inside, { name, ca, args, replicas: 1 })),
  );
  await scene.create(rival('left', namespace, ca, ['gates', 'gangs']));
  await scene.create(rival('right', namespace, ca, ['passes', 'passes']));
  await waitFor('the webhooks to hold', async () => {
    const [ofPod, ofTemplate] = await Promise.all([
      scene.create(pod('trial', namespace, 'as-pod'), { dryRun: true }),
      scene.create(deployment('trial', namespace, 'as-template'), { dryRun: true }),
    ]);
    return (
      ofPod.spec?.schedulingGates?.[0]?.name === gate && ofTemplate.spec?.template.spec.schedulerName === gang
    );
  });
  await Promise.all([
    scene.create(deployment('gated', namespace, 'as-pod')),
    scene.create(deployment('parked', namespace, 'as-template')),
    scene.create(pod('alone', namespace, 'as-pod')),
    scene.create(pod('authored', namespace, 'by-author', { schedulingGates: [{ name: gate }] })),
  ]);
}
