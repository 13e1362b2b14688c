import type { Server } from 'node:https';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import { notInDeletion, notMirrorPod } from '../../src/phrases/exempting-expressions.ts';
import type { KubeObject } from '../cluster/client.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { plugin } from '../support/plugin.ts';
import { answeringWebhook, type Reply } from './answering-webhook.ts';

interface Asked {
  readonly operation: string;
  readonly object?: {
    readonly kind: string;
    readonly metadata: {
      readonly name?: string;
      readonly annotations?: object;
      readonly deletionTimestamp?: string;
    };
    readonly spec?: { readonly serviceAccountName?: string };
  };
}
/** A webhook that fails for objects of controllers and kubelets only. */
interface Case {
  readonly check: string;
  readonly says: RegExp;
  readonly resources: readonly string[];
  readonly group?: string;
  readonly reply: (asked: Asked) => Reply;
  /** It is called for the namespace kube-system only. */
  readonly system?: true;
  /** Objects of the scene, before the webhook. */
  readonly beside?: readonly KubeObject[];
  readonly deleted?: KubeObject;
}

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cart' } };
const finalized: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'cart', finalizers: ['example.com/cart'] },
  immutable: true,
  data: { a: 'b' },
};
const mirrored = ({ object }: Asked): boolean =>
  Object.hasOwn(object?.metadata.annotations ?? {}, 'kubernetes.io/config.mirror');

const cases: Readonly<Record<string, Case>> = {
  'denies mirror Pods, which have no ServiceAccount': {
    check: 'mirror-pods-refused',
    says: /denied the mirror Pod of a static Pod, but admits other Pods: no ServiceAccount/,
    resources: ['pods'],
    system: true,
    reply: ({ object }) =>
      object?.spec?.serviceAccountName === undefined ? { denied: 'no ServiceAccount' } : undefined,
  },
  'adds a pull Secret to mirror Pods': {
    check: 'mirror-pods-refused',
    says: /adds imagePullSecrets to the mirror Pod/,
    resources: ['pods'],
    system: true,
    reply: (asked) =>
      mirrored(asked)
        ? { patch: [{ op: 'add', path: '/spec/imagePullSecrets', value: [{ name: 'registry' }] }] }
        : undefined,
  },
  'changes the template of ReplicaSets': {
    check: 'replicaset-template-changed',
    says: /changes the Pod template of a ReplicaSet, but not of its Deployment/,
    group: 'apps',
    resources: ['replicasets', 'deployments'],
    reply: ({ object }) =>
      object?.kind === 'ReplicaSet'
        ? { patch: [{ op: 'add', path: '/spec/template/spec/hostNetwork', value: true }] }
        : undefined,
  },
  'denies updates that change nothing': {
    check: 'denies-sample',
    says: /denied an UPDATE of ConfigMap \S+\/cart that changes nothing: unknown operation/,
    resources: ['configmaps'],
    beside: [configMap],
    reply: ({ operation }) => (operation === 'UPDATE' ? { denied: 'unknown operation' } : undefined),
  },
  'changes an immutable field of an object that is being deleted': {
    check: 'response-patch-invalid',
    says: /cart is being deleted, and the patch of \S+ makes the API server refuse the updates that remove its finalizers/,
    resources: ['configmaps'],
    beside: [finalized],
    deleted: finalized,
    reply: ({ operation, object }) =>
      operation === 'UPDATE' && object?.metadata.name === 'cart'
        ? { patch: [{ op: 'add', path: '/data', value: { a: 'c' } }] }
        : undefined,
  },
};

/** The configuration of a webhook for these resources, with its namespaceSelector. */
const configurationOf = (
  namespace: string,
  { url, ca }: { readonly url: string; readonly ca: string },
  webhook: object,
): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: `parts-${namespace}` },
  webhooks: [
    {
      name: 'parts.example.com',
      clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
      timeoutSeconds: 5,
      ...webhook,
    },
  ],
});

const rulesOf = (
  apiGroups: readonly string[],
  resources: readonly string[],
  operations = ['CREATE', 'UPDATE'],
) => [{ apiGroups, apiVersions: ['v1'], operations, resources }];

describe('doctor on a real API server: webhooks that fail for objects of controllers and kubelets', function () {
  needs('node', 'own-node');
  this.timeout(240_000);
  const scene = useScene(nodeCluster);
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  for (const [name, { check, says, group = '', resources, reply, ...more }] of Object.entries(cases)) {
    it(`names the webhook that ${name}`, async () => {
      const { system, beside = [], deleted } = more;
      for (const object of beside) await scene.create(object);
      const webhook = await answeringWebhook<Asked>(reply);
      server = webhook.server;
      const only = system ? 'kube-system' : scene.namespace;
      await scene.create(
        configurationOf(scene.namespace, webhook, {
          rules: rulesOf([group], resources),
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': only } },
        }),
      );
      if (deleted !== undefined)
        await scene.client.delete({
          ...deleted,
          metadata: { ...deleted.metadata, namespace: scene.namespace },
        });
      const asked = ['doctor', `parts-${scene.namespace}`, '--kubeconfig', scene.kubeconfig];
      const message = await waitFor(
        'doctor to name the webhook',
        async () => {
          const { stdout } = await plugin([...asked, '--probe', 'review', '-o', 'json']);
          const { findings } = JSON.parse(stdout) as DoctorReport;
          return findings.find((finding) => finding.check === check && says.test(finding.message))?.message;
        },
        { timeout: 120_000 },
      );
      expect(message).to.match(says);
      if (deleted === undefined) return;
      await scene.client.delete({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: `parts-${scene.namespace}` },
      });
      await waitFor('the object to be deleted', () =>
        scene.client
          .patch(
            { ...deleted, metadata: { ...deleted.metadata, namespace: scene.namespace } },
            { metadata: { finalizers: null } },
          )
          .then(
            () => true,
            () => false,
          ),
      );
    });
  }

  it('names none that adds a label to each object', async () => {
    const label = [{ op: 'add', path: '/metadata/labels', value: { team: 'shop' } }];
    const webhook = await answeringWebhook<Asked>(() => ({ patch: label }));
    server = webhook.server;
    const values = ['kube-system', scene.namespace];
    await scene.create(
      configurationOf(scene.namespace, webhook, {
        rules: rulesOf(['', 'apps'], ['pods', 'replicasets', 'deployments']),
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }],
        },
      }),
    );
    const asked = ['doctor', `parts-${scene.namespace}`, '--kubeconfig', scene.kubeconfig];
    const { stdout } = await plugin([...asked, '--probe', 'review', '-o', 'json']);
    const found = (JSON.parse(stdout) as DoctorReport).findings.map(({ check }) => check);
    expect(found.filter((one) => /mirror|replicaset|response|sample/.test(one))).to.deep.equal([]);
  });

  it('suggests expressions that exempt only these objects, and fail for no operation', async () => {
    const pod = (name: string, more: object = {}, spec: object = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...more },
      spec: { containers: [{ name: 'web', image: 'web' }], ...spec },
    });
    const mirror = (spec: object = {}) =>
      pod('mirror', { annotations: { 'kubernetes.io/config.mirror': 'x' } }, { nodeName: 'node', ...spec });
    const inScene = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, namespace: scene.namespace },
    });
    const dryRun = (object: KubeObject): Promise<string> =>
      scene.client.create(inScene(object), { dryRun: true }).then(
        () => 'admitted',
        (error: unknown) => String(error),
      );
    await scene.create(finalized);
    await scene.create(pod('web'));
    await scene.client.delete(inScene(finalized));
    expect(await dryRun(mirror({ imagePullSecrets: [{ name: 'a' }] }))).to.include(
      'a mirror pod may not reference secrets',
    );
    const webhook = await answeringWebhook(() => ({ denied: 'it was called' }));
    server = webhook.server;
    await scene.create(
      configurationOf(scene.namespace, webhook, {
        failurePolicy: 'Fail',
        rules: rulesOf([''], ['pods', 'configmaps'], ['CREATE', 'UPDATE', 'DELETE']),
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
        matchConditions: [notMirrorPod, notInDeletion].map((expression, at) => ({
          name: `c${at}`,
          expression,
        })),
      }),
    );
    await waitFor('the webhook to be called', async () =>
      (await dryRun(pod('other'))).includes('it was called'),
    );
    expect(await dryRun(mirror())).to.equal('admitted');
    const deletion = await scene.client.delete(inScene(pod('web'))).then(
      () => 'deleted',
      (error: unknown) => String(error),
    );
    expect(deletion).to.include('it was called');
    await scene.client.patch(inScene(finalized), { metadata: { finalizers: null } });
  });
});
