import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { DoctorReport } from '../../src/diagnose/report.ts';
import type { KubeObject } from '../cluster/client.ts';
import { network } from '../cluster/network.ts';
import { needs, nodeCluster, useScene } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { plugin } from '../support/plugin.ts';

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
/** A denial with a message, or a patch; undefined: allowed. */
type Reply = { readonly denied: string } | { readonly patch: readonly object[] } | undefined;

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

/** A webhook at https://NODE:PORT. Not loopback, to which doctor does not connect. */
async function answering(reply: Case['reply']): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'policy-ca' });
  const { cert, key } = await issue(ca, { ips: [network.node] });
  const server = createServer({ cert, key }, async (request, response) => {
    const { request: asked } = JSON.parse(await text(request)) as {
      request: Asked & { readonly uid: string };
    };
    const found = reply(asked);
    const answer =
      found === undefined
        ? { allowed: true }
        : 'denied' in found
          ? { allowed: false, status: { message: found.denied } }
          : {
              allowed: true,
              patchType: 'JSONPatch',
              patch: Buffer.from(JSON.stringify(found.patch)).toString('base64'),
            };
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid: asked.uid, ...answer },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, network.node, resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `https://${network.node}:${port}`, ca: ca.cert };
}

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
      const webhook = await answering(reply);
      server = webhook.server;
      await scene.create({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: `parts-${scene.namespace}` },
        webhooks: [
          {
            name: 'parts.example.com',
            clientConfig: { url: webhook.url, caBundle: Buffer.from(webhook.ca).toString('base64') },
            rules: [{ apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources }],
            namespaceSelector: {
              matchLabels: { 'kubernetes.io/metadata.name': system ? 'kube-system' : scene.namespace },
            },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Ignore',
            timeoutSeconds: 5,
          },
        ],
      });
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
    const webhook = await answering(() => ({ patch: label }));
    server = webhook.server;
    await scene.create({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: `parts-${scene.namespace}` },
      webhooks: [
        {
          name: 'parts.example.com',
          clientConfig: { url: webhook.url, caBundle: Buffer.from(webhook.ca).toString('base64') },
          rules: [
            {
              apiGroups: ['', 'apps'],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['pods', 'replicasets', 'deployments'],
            },
          ],
          namespaceSelector: {
            matchExpressions: [
              {
                key: 'kubernetes.io/metadata.name',
                operator: 'In',
                values: ['kube-system', scene.namespace],
              },
            ],
          },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          failurePolicy: 'Ignore',
          timeoutSeconds: 5,
        },
      ],
    });
    const asked = ['doctor', `parts-${scene.namespace}`, '--kubeconfig', scene.kubeconfig];
    const { stdout } = await plugin([...asked, '--probe', 'review', '-o', 'json']);
    const found = (JSON.parse(stdout) as DoctorReport).findings.map(({ check }) => check);
    expect(found.filter((one) => /mirror|replicaset|response|sample/.test(one))).to.deep.equal([]);
  });
});
