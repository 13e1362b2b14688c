import { createHash, randomBytes } from 'node:crypto';
import type { Client, KubeObject } from '../cluster/client.ts';
import { authorityDraft, signDraft } from '../oracle/certificate/chain-draft.ts';
import { pemOf } from '../oracle/certificate/make-certificate.ts';
import { testKey } from '../oracle/certificate/test-key.ts';

/**
 * The cluster of docs/performance.md. There are as many Services as webhook configurations; for each
 * configuration with one webhook, two have three.
 */
const size = {
  configurations: 500,
  backendNamespaces: 50,
  namespaces: 100,
  nodes: 100,
  definitions: 50,
  secrets: 2000,
  podsPerService: 2,
};

/** Differences from the cluster of docs/performance.md. */
export interface BenchCluster {
  /** Webhook configurations, and Services behind them: 500. Each has two webhooks on average. */
  readonly configurations?: number;
  /**
   * Each webhook has several faults: a wrong injection annotation and a namespaceSelector without a match; a
   * third has a long timeout, half match a resource that does not exist.
   */
  readonly troubled?: boolean;
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const namespaceOf = (service: number): string =>
  `ns-${String(service % size.backendNamespaces).padStart(3, '0')}`;
const serviceName = (service: number): string => `backend-${String(service).padStart(3, '0')}`;
/** 5 % of the backends are not ready, 2 % of the configurations name a missing Service. */
const notReady = (service: number): boolean => service % 20 === 0;
const missing = (configuration: number): boolean => configuration % 50 === 7;
const address = (service: number, replica: number): string =>
  `198.18.${service % 250}.${2 + replica * 100 + Math.floor(service / 250)}`;

/** A unique caBundle of 1.5 kB: a CA with an RSA key, as in most products. */
function caBundle(index: number): string {
  const draft = authorityDraft(0, new Date(), testKey('rsa2048', index % 100));
  const authority = signDraft({
    ...draft,
    subject: { cn: `configuration ${index}` },
    serial: BigInt(index + 1),
  });
  return Buffer.from(pemOf(authority)).toString('base64');
}

function configuration(index: number, troubled: boolean): KubeObject {
  const kind = index % 2 === 0 ? 'Validating' : 'Mutating';
  const bundle = caBundle(index);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: {
      name: `configuration-${String(index).padStart(3, '0')}`,
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      ...(troubled
        ? { annotations: { 'cert-manager.io/inject-ca-from': `${namespaceOf(index)}/gone-${index}` } }
        : {}),
    },
    webhooks: numbers(1 + (index % 3)).map((webhook) => ({
      name: `w${webhook}.c${index}.example.com`,
      clientConfig: {
        caBundle: bundle,
        service: {
          namespace: namespaceOf(index),
          name: missing(index) ? `gone-${index}` : serviceName(index),
          port: 443,
          path: '/admit',
        },
      },
      rules: [
        {
          operations: ['CREATE'],
          apiGroups: ['bench.example.com'],
          apiVersions: ['*'],
          resources: [`${troubled && index % 2 === 0 ? 'no-' : ''}things${index % size.definitions}`],
        },
      ],
      namespaceSelector: troubled
        ? { matchLabels: { bench: `not-${index}` } }
        : { matchExpressions: [{ key: 'bench', operator: 'Exists' }] },
      failurePolicy: index % 4 === 0 ? 'Ignore' : 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: troubled && (index + webhook) % 3 === 0 ? 30 : 5,
    })),
  };
}

const service = (index: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: serviceName(index), namespace: namespaceOf(index), labels: { app: serviceName(index) } },
  spec: {
    selector: { app: serviceName(index), component: 'webhook' },
    ports: [{ port: 443, targetPort: 8443, name: 'https' }],
  },
});

const slices = (index: number): readonly KubeObject[] =>
  (['IPv4', 'IPv6'] as const).map((addressType) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${serviceName(index)}-${addressType.toLowerCase()}`,
      namespace: namespaceOf(index),
      labels: {
        'kubernetes.io/service-name': serviceName(index),
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
    },
    addressType,
    ports: [{ name: 'https', port: 8443, protocol: 'TCP' }],
    endpoints: numbers(size.podsPerService).map((replica) => ({
      addresses: [
        addressType === 'IPv4'
          ? address(index, replica)
          : `2001:db8::${(index + 1).toString(16)}:${replica + 1}`,
      ],
      conditions: { ready: !notReady(index), serving: !notReady(index), terminating: false },
      nodeName: `node-${index % size.nodes}`,
      targetRef: { kind: 'Pod', name: `${serviceName(index)}-${replica}`, namespace: namespaceOf(index) },
    })),
  }));

const podSpec = (labels: Readonly<Record<string, string>>) => ({
  containers: [
    {
      name: 'webhook',
      image: 'registry.example.com/team/webhook:v1.2.3',
      ports: [{ containerPort: 8443, name: 'https' }],
      // Increases a Pod to 8 kB, as in real clusters.
      env: numbers(40).map((index) => ({
        name: `SETTING_${index}`,
        value: createHash('sha256').update(`${labels.app}${index}`).digest('hex'),
      })),
      resources: { requests: { cpu: '10m', memory: '32Mi' }, limits: { memory: '128Mi' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 8443, scheme: 'HTTPS' } },
    },
  ],
});

const deployment = (index: number): KubeObject => {
  const labels = { app: serviceName(index), component: 'webhook' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: serviceName(index), namespace: namespaceOf(index) },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(labels) },
    },
  };
};

const status = (ready: boolean, ip: string) => ({
  phase: 'Running',
  podIP: ip,
  podIPs: [{ ip }],
  conditions: [
    { type: 'Ready', status: ready ? 'True' : 'False', ...(ready ? {} : { reason: 'ContainersNotReady' }) },
    { type: 'PodScheduled', status: 'True' },
  ],
  containerStatuses: [
    {
      name: 'webhook',
      ready,
      restartCount: 0,
      image: 'webhook:v1.2.3',
      imageID: '',
      started: true,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
    },
  ],
});

interface PodToMake {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ready: boolean;
  readonly ip: string;
}

const podsBehind = (index: number): readonly PodToMake[] =>
  numbers(size.podsPerService).map((replica) => ({
    name: `${serviceName(index)}-${replica}`,
    namespace: namespaceOf(index),
    labels: { app: serviceName(index), component: 'webhook' },
    ready: !notReady(index),
    ip: address(index, replica),
  }));

const otherPods = (count: number): readonly PodToMake[] =>
  numbers(count).map((index) => ({
    name: `other-${index}`,
    namespace: index % 5 === 0 ? namespaceOf(index) : `ns-${String(50 + (index % 50)).padStart(3, '0')}`,
    labels: { app: `other-${index % 100}` },
    ready: true,
    ip: `198.19.${index % 250}.${Math.floor(index / 250) % 250}`,
  }));

const node = (index: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `node-${index}` },
});
const secret = (index: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: `secret-${index}`, namespace: namespaceOf(index) },
  data: { token: randomBytes(600).toString('base64') },
});

function definition(index: number): KubeObject {
  const properties = Object.fromEntries(
    numbers(80).map((field) => [
      `field${field}`,
      { type: 'string', description: randomBytes(24).toString('hex') },
    ]),
  );
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things${index}.bench.example.com` },
    spec: {
      group: 'bench.example.com',
      scope: 'Namespaced',
      names: {
        plural: `things${index}`,
        singular: `thing${index}`,
        kind: `Thing${index}`,
        listKind: `Thing${index}List`,
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
          },
        },
      ],
    },
  };
}

/** Runs `work` over all items, some at a time. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>, atOnce = 24): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(numbers(atOnce).map(worker));
}

async function makePods(client: Client, pods: readonly PodToMake[]): Promise<void> {
  await each(pods, async ({ name, namespace, labels, ready, ip }) => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, labels },
      spec: { ...podSpec(labels), nodeName: `node-${name.length % size.nodes}` },
    };
    const created = await client.create(pod);
    await client.request('PUT', `/api/v1/namespaces/${namespace}/pods/${name}/status`, {
      ...created,
      status: status(ready, ip),
    });
  });
}

/** Namespaces, Nodes, Secrets and CRDs, independent of the number of webhooks. */
async function loadSurroundings(client: Client): Promise<void> {
  const namespaces = numbers(size.namespaces).map((index) => `ns-${String(index).padStart(3, '0')}`);
  await each(namespaces, (name) =>
    client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { bench: 'true' } } }),
  );
  // Without a controller manager, the ServiceAccount that admission requires is not created.
  await each(namespaces, (namespace) =>
    client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }),
  );
  await each(numbers(size.nodes), (index) => client.create(node(index)));
  await each(numbers(size.secrets), (index) => client.create(secret(index)));
  await each(numbers(size.definitions), (index) => client.create(definition(index)));
}

/** Everything except the Pods without a webhook: two Pods per Service. */
export async function loadCluster(client: Client, cluster: BenchCluster = {}): Promise<void> {
  const { configurations = size.configurations } = cluster;
  await loadSurroundings(client);
  await each(numbers(configurations), (index) => client.create(service(index)));
  await each(numbers(configurations).flatMap(slices), (slice) => client.create(slice));
  await each(numbers(configurations), (index) => client.create(deployment(index)));
  await makePods(client, numbers(configurations).flatMap(podsBehind));
  await placeWebhooks(client, cluster);
}

/** Replaces the webhooks of the same names. */
export async function placeWebhooks(client: Client, cluster: BenchCluster): Promise<void> {
  const { configurations = size.configurations, troubled = false } = cluster;
  await each(numbers(configurations), async (index) => {
    const placed = configuration(index, troubled);
    await client.delete(placed);
    await client.create(placed);
  });
}

/** 9 000 further Pods without a webhook; a fifth of them in namespaces of webhooks. */
export const loadOtherPods = (client: Client): Promise<void> => makePods(client, otherPods(9000));

/** Broken backends, each of which may cost one request. */
export const brokenBackends = numbers(size.configurations).filter(
  (index) => notReady(index) || missing(index),
).length;
