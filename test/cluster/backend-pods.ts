import { type Authority, issue } from '../support/certificates.ts';
import type { KubeObject } from './client.ts';
import { backendImage } from './image.ts';
import type { Scene } from './scene.ts';
import { waitFor } from './wait.ts';

export interface BackendPodsOptions {
  /** Name of the Deployment, the Service, the Secret and of the label `app`. */
  readonly name: string;
  readonly ca: Authority;
  /** 2 by default. */
  readonly replicas?: number;
  /** Arguments of the backend program (backend/arguments.ts), after --cert-dir. */
  readonly args?: readonly string[];
  /** Merged over the container. */
  readonly container?: object;
  /** Merged over the Pod's spec. */
  readonly podSpec?: object;
}

/** The objects of a webhook backend: a Secret with a serving certificate for the Service, the Service, the Deployment. */
export async function backendObjects(namespace: string, options: BackendPodsOptions): Promise<KubeObject[]> {
  const { name } = options;
  const labels = { app: name };
  const pair = await issue(options.ca, { dns: [`${name}.${namespace}.svc`] });
  const container = {
    name: 'webhook',
    image: backendImage,
    imagePullPolicy: 'Never',
    args: ['--cert-dir', '/certs', ...(options.args ?? [])],
    ports: [{ name: 'https', containerPort: 8443 }],
    readinessProbe: { httpGet: { scheme: 'HTTPS', port: 8443, path: '/readyz' }, periodSeconds: 1 },
    volumeMounts: [{ name: 'certs', mountPath: '/certs' }],
    ...options.container,
  };
  const spec = {
    terminationGracePeriodSeconds: 1,
    containers: [container],
    volumes: [{ name: 'certs', secret: { secretName: name } }],
    ...options.podSpec,
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': pair.cert, 'tls.key': pair.key },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: labels, ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas: options.replicas ?? 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec },
      },
    },
  ];
}

/** Creates the backend's objects in the scene and waits until all replicas are Ready and in the EndpointSlices. */
export async function deployBackend(scene: Scene, options: BackendPodsOptions): Promise<void> {
  for (const object of await backendObjects(scene.namespace, options)) await scene.create(object);
  await waitForEndpoints(scene, options.name, options.replicas ?? 2);
}

interface Endpoint {
  readonly conditions?: { readonly ready?: boolean };
}

async function endpointsOf(scene: Scene, service: string): Promise<readonly Endpoint[] | undefined> {
  const slices = await scene.client.list(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    scene.namespace,
    `kubernetes.io/service-name=${service}`,
  );
  if (slices.length === 0) return undefined;
  return slices.flatMap((slice) => (slice.endpoints ?? []) as Endpoint[]);
}

/** Waits until exactly that many endpoints of the Service are ready. */
export async function waitForEndpoints(scene: Scene, service: string, count: number): Promise<void> {
  await waitFor(
    `${count} ready endpoints of Service ${service}`,
    async () => {
      const endpoints = await endpointsOf(scene, service);
      return endpoints?.filter(({ conditions }) => conditions?.ready === true).length === count;
    },
    { timeout: 120_000 },
  );
}

/** Waits until the Service has no endpoint, not even a terminating one that serves. */
export async function waitForNoEndpoint(scene: Scene, service: string): Promise<void> {
  await waitFor(
    `no endpoint of Service ${service}`,
    async () => ((await endpointsOf(scene, service)) ?? []).length === 0,
    { timeout: 120_000 },
  );
}

export async function scale(scene: Scene, deployment: string, replicas: number): Promise<void> {
  const target = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deployment, namespace: scene.namespace },
  };
  await scene.client.patch(target, { spec: { replicas } }, 'scale');
}

export interface WebhookOptions {
  /** Service in the scene's namespace; also the name of the configuration, made unique by the namespace. */
  readonly service: string;
  /** PEM. */
  readonly caBundle: string;
  /** Merged over the webhook. */
  readonly webhook?: object;
}

/**
 * A ValidatingWebhookConfiguration that calls the Service for every ConfigMap of the scene's namespace; the
 * webhook is named `SERVICE.example.com`.
 */
export function validatingWebhook(namespace: string, options: WebhookOptions): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: `${options.service}-${namespace}` },
    webhooks: [
      {
        name: `${options.service}.example.com`,
        clientConfig: {
          service: { namespace, name: options.service, path: '/validate' },
          caBundle: Buffer.from(options.caBundle).toString('base64'),
        },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
        timeoutSeconds: 5,
        ...options.webhook,
      },
    ],
  };
}

/**
 * The response of the API server to a dry-run create of a ConfigMap in the scene: `created`, or its error.
 */
export async function tryConfigMap(scene: Scene): Promise<string> {
  const attempt: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'probe-' },
  };
  return scene.create(attempt, { dryRun: true }).then(
    () => 'created',
    (error: Error) => error.message,
  );
}
