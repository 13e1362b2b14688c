import { type BackendPodsOptions, backendObjects, deployBackend } from '../../cluster/backend-pods.ts';
import type { KubeObject } from '../../cluster/client.ts';
import type { Scene } from '../../cluster/scene.ts';
import { authority } from '../../support/certificates.ts';

export type Overrides = Omit<BackendPodsOptions, 'name' | 'ca'>;

/** Signs the serving certificates; its certificate is the caBundle. */
export const ca = await authority({ cn: 'webhook-ca' });

export const objectsOf = (scene: Scene, over: Overrides = {}) =>
  backendObjects(scene.namespace, { name: 'guard', ca, replicas: 1, ...over });

export const labels = { app: 'guard' };
export const deployment = (scene: Scene) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'guard', namespace: scene.namespace },
});
export const service = (scene: Scene) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'guard', namespace: scene.namespace },
});

/** A node without a kubelet. */
export const deserted = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'deserted' } };

/** Creates a backend with a fault from the start. */
export const born =
  (over: Overrides = {}, leaveOut: readonly string[] = [], first: readonly KubeObject[] = []) =>
  async (scene: Scene): Promise<void> => {
    for (const object of first) await scene.create(object);
    for (const object of await objectsOf(scene, over)) {
      if (!leaveOut.includes(object.kind)) await scene.create(object);
    }
  };

/** A healthy backend that is broken afterwards. */
export const broken =
  (how: (scene: Scene) => Promise<unknown>, over: Overrides = {}) =>
  async (scene: Scene): Promise<void> => {
    await deployBackend(scene, { name: 'guard', ca, replicas: 1, ...over });
    await how(scene);
  };

/** The same backend as a StatefulSet. */
export const asStatefulSet =
  (over: Overrides = {}) =>
  async (scene: Scene): Promise<void> => {
    for (const object of await objectsOf(scene, over)) {
      const isWorkload = object.kind === 'Deployment';
      const spec = { ...object.spec, serviceName: 'guard' };
      await scene.create(isWorkload ? { ...object, kind: 'StatefulSet', spec } : object);
    }
  };

/** The Service, its Secret, and one Pod without a controller. */
export const barePod =
  (over: Overrides) =>
  async (scene: Scene): Promise<void> => {
    for (const object of await objectsOf(scene, over)) {
      if (object.kind !== 'Deployment') await scene.create(object);
      else {
        const { spec } = object.spec.template;
        await scene.create({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'guard', labels },
          spec,
        });
      }
    }
  };

/**
 * The script of a webhook server that allows every review: `given` runs first, with `request` and its
 * body in `text`. It exits at a request without a body.
 */
export const httpsServer = (given: string): string => `
const { readFileSync } = require('node:fs');
const pair = { cert: readFileSync('/certs/tls.crt'), key: readFileSync('/certs/tls.key') };
require('node:https').createServer(pair, async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  ${given}
  const { apiVersion, kind, request: { uid } } = JSON.parse(text);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion, kind, response: { uid, allowed: true } }));
}).listen(8443)`;

/** A program with this script instead of the webhook, and without probes. */
export const script = (code: string, over: object = {}) => ({
  container: { command: ['/usr/bin/node', '-e', code], args: [], readinessProbe: null, ...over },
});

/**
 * Makes the API server open new connections to the webhook, by another text of the caBundle: a keep-alive
 * connection would still reach the old Pod.
 */
export async function dialAnew(scene: Scene): Promise<void> {
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: `guard-${scene.namespace}` },
  };
  const now = await scene.client.get(configuration);
  const bundle = Buffer.from(now?.webhooks[0].clientConfig.caBundle ?? '', 'base64').toString();
  const caBundle = Buffer.from(`${bundle}\n`).toString('base64');
  const path = '/webhooks/0/clientConfig/caBundle';
  const name = await scene.client.path(
    configuration.apiVersion,
    configuration.kind,
    undefined,
    configuration.metadata.name,
  );
  const patch = [{ op: 'replace', path, value: caBundle }];
  await scene.client.request('PATCH', name, patch, 'application/json-patch+json');
}
