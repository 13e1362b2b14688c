import type { FailurePolicy, RuleWithOperations } from '../../facts/callout.ts';
import type { LabelSelector, ManagedFields, Metadata } from '../../facts/objects/metadata.ts';
import type { Container, PodSpec } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { WorkloadKind } from '../../facts/objects/workload.ts';
import type { ApiObject } from '../api-server/api-object.ts';
import { ago } from './ago.ts';
import type { Behaviour } from './behaviour.ts';
import { caBundle } from './ca-bundle.ts';

/** A workload as people write it, and how its Pods fare. */
export interface WorkloadPart {
  readonly manifest: ApiObject;
  /** By ordinal; the last one holds for all further Pods. */
  readonly pods: readonly Behaviour[];
  /** Pods of the previous revision that still exist, in a rollout. */
  readonly previous: readonly Behaviour[];
  /** What the API server says to whoever creates a Pod of it, where that follows from no object here. */
  readonly refused?: string;
}

/** One thing that a scenario sets up. */
export type Part = ApiObject | WorkloadPart;
export const isWorkloadPart = (part: Part): part is WorkloadPart => 'manifest' in part;

type MetadataOver = Partial<Omit<Metadata, 'name' | 'namespace'>>;

/** `namespace/name` in two. */
const split = (key: string): { namespace: string; name: string } => {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
};

export const namespace = (name: string, labels: Readonly<Record<string, string>> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

export const node = (
  name: string,
  over: { readonly ready?: boolean; readonly labels?: Readonly<Record<string, string>> } = {},
): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', ...over.labels } },
  spec:
    over.ready === false ? { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] } : {},
  status: {
    conditions: [
      over.ready === false
        ? {
            type: 'Ready',
            status: 'Unknown',
            reason: 'NodeStatusUnknown',
            message: 'Kubelet stopped posting node status.',
            lastTransitionTime: ago('3m'),
          }
        : {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            message: 'kubelet is posting ready status',
            lastTransitionTime: ago('30d'),
          },
    ],
  },
});

/** The Service `namespace/name`: port 443 to 8443, selector `app: name`, unless told otherwise. */
export function service(
  key: string,
  spec: Partial<Service['spec']> = {},
  metadata: MetadataOver = {},
): ApiObject {
  const at = split(key);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...at, ...metadata },
    spec: { selector: { app: at.name }, ports: [{ port: 443, targetPort: 8443 }], ...spec },
  };
}

/** A Service without selector: somebody else makes its endpoints. */
export function selectorlessService(key: string, spec: Partial<Service['spec']> = {}): ApiObject {
  const { spec: full, ...rest } = service(key, spec);
  const { selector: _selector, ...without } = full as Service['spec'];
  return { ...rest, spec: without };
}

/** An EndpointSlice of the Service `key`, written by hand. */
export const endpointSlice = (
  key: string,
  name: string,
  addresses: readonly string[],
  port = 8443,
): ApiObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: {
    namespace: split(key).namespace,
    name,
    labels: { 'kubernetes.io/service-name': split(key).name },
  },
  addressType: addresses[0]?.includes(':') ? 'IPv6' : 'IPv4',
  ports: [{ port }],
  endpoints: addresses.map((address) => ({ addresses: [address] })),
});

export interface WorkloadOver {
  readonly replicas?: number;
  /** Further labels of the Pods, beside `app: name`; they may replace it. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly container?: Partial<Container>;
  readonly spec?: Partial<PodSpec>;
  readonly metadata?: MetadataOver;
  readonly pods?: readonly Behaviour[];
  readonly previous?: readonly Behaviour[];
  readonly refused?: string;
}

const image = 'registry.example.com/webhook:1.4.2';

function workload(kind: WorkloadKind, key: string, over: WorkloadOver): WorkloadPart {
  const at = split(key);
  const selector = { app: at.name };
  const ports = over.container?.ports ?? [{ containerPort: 8443 }];
  const readyAt = { path: '/readyz', port: ports[0]?.containerPort ?? 8443, scheme: 'HTTPS' };
  const container: Container = {
    name: 'webhook',
    image,
    ports,
    readinessProbe: { httpGet: readyAt },
    ...over.container,
  };
  return {
    manifest: {
      apiVersion: 'apps/v1',
      kind,
      metadata: { ...at, labels: selector, ...over.metadata },
      spec: {
        ...(kind === 'DaemonSet' ? {} : { replicas: over.replicas ?? 2 }),
        ...(kind === 'StatefulSet' ? { serviceName: at.name } : {}),
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: { ...selector, ...over.labels } },
          spec: { containers: [container], ...over.spec },
        },
      },
    },
    pods: over.pods ?? [{ is: 'ready' }],
    previous: over.previous ?? [],
    ...(over.refused === undefined ? {} : { refused: over.refused }),
  };
}

/** The Deployment `namespace/name` of two ready Pods with `app: name` and a container port 8443, unless told otherwise. */
export const deployment = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('Deployment', key, over);
export const statefulSet = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('StatefulSet', key, over);
export const daemonSet = (key: string, over: WorkloadOver = {}): WorkloadPart =>
  workload('DaemonSet', key, over);

/** A Pod that no workload makes: `app: name`, a container port 8443. */
export function barePod(key: string, over: WorkloadOver = {}): WorkloadPart {
  const { manifest, ...part } = workload('Deployment', key, over);
  const { metadata, spec } = (manifest.spec as { template: ApiObject }).template;
  return {
    ...part,
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...manifest.metadata, labels: metadata.labels ?? {} },
      spec,
    },
  };
}

/** A Job that has made its one Pod, which has ended. Its Pod carries `app: name` and the given labels. */
export function job(key: string, labels: Readonly<Record<string, string>> = {}): WorkloadPart {
  const { manifest, ...part } = workload('Deployment', key, {
    labels,
    container: { name: 'job', ports: [] },
    spec: { restartPolicy: 'Never' },
    pods: [{ is: 'completed' }],
  });
  const { template } = manifest.spec as { template: unknown };
  return {
    ...part,
    manifest: { apiVersion: 'batch/v1', kind: 'Job', metadata: manifest.metadata, spec: { template } },
  };
}

/** managedFields of a workload whose replicas somebody set through `kubectl scale`, an autoscaler or their own client. */
export const scaledBy = (manager: string, when: string): readonly ManagedFields[] => [
  {
    manager,
    operation: 'Update',
    subresource: 'scale',
    time: when,
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  },
];

/** A Secret with the given keys; the values are words, not keys or certificates. */
export const secret = (key: string, ...keys: readonly string[]): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: split(key),
  type: 'Opaque',
  data: Object.fromEntries(keys.map((name) => [name, Buffer.from('placeholder').toString('base64')])),
});

export interface WebhookOver {
  /** `namespace/name` of the backend's Service. */
  readonly service?: string;
  readonly port?: number;
  readonly path?: string;
  readonly url?: string;
  readonly failurePolicy?: FailurePolicy;
  readonly timeoutSeconds?: number;
  readonly rules?: readonly Partial<RuleWithOperations>[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
}

/** One rule in a line: `rule('apps/v1', 'deployments', 'CREATE', 'UPDATE')`. */
export const rule = (groupVersion: string, resources: string, ...operations: readonly string[]) => {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  return {
    operations: operations.length === 0 ? ['CREATE', 'UPDATE'] : operations,
    apiGroups: [group],
    apiVersions: [version],
    resources: resources.split(','),
  };
};

const clientConfig = (over: WebhookOver, path: string) => ({
  caBundle,
  ...(over.url === undefined
    ? {
        service: {
          ...split(over.service ?? ''),
          path: over.path ?? path,
          ...(over.port === undefined ? {} : { port: over.port }),
        },
      }
    : { url: over.url }),
});

/** One entry of `webhooks[]`: Fail, 5 s, CREATE and UPDATE of ConfigMaps, unless told otherwise. */
export const webhook = (name: string, over: WebhookOver) => {
  const { service: _service, port: _port, path: _path, url: _url, ...rest } = over;
  return {
    name,
    clientConfig: clientConfig(over, '/validate'),
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 5,
    failurePolicy: 'Fail',
    rules: [rule('v1', 'configmaps')],
    ...rest,
  };
};

type Webhook = ReturnType<typeof webhook>;

const configuration = (
  kind: string,
  name: string,
  webhooks: readonly Webhook[],
  metadata: MetadataOver,
): ApiObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name, ...metadata },
  webhooks,
});

export const validating = (
  name: string,
  webhooks: readonly Webhook[],
  metadata: MetadataOver = {},
): ApiObject => configuration('ValidatingWebhookConfiguration', name, webhooks, metadata);
export const mutating = (
  name: string,
  webhooks: readonly Webhook[],
  metadata: MetadataOver = {},
): ApiObject => configuration('MutatingWebhookConfiguration', name, webhooks, metadata);

/** A CRD `plural.group` with the versions v1 (stored) and v1beta1; converted by webhook when a Service is named. */
export function customResource(
  name: string,
  kind: string,
  over: WebhookOver & { readonly metadata?: MetadataOver } = {},
): ApiObject {
  const [plural = '', ...group] = name.split('.');
  const version = { served: true, schema: { openAPIV3Schema: { type: 'object' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name, ...over.metadata },
    spec: {
      group: group.join('.'),
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1', storage: true, ...version },
        { name: 'v1beta1', storage: false, ...version },
      ],
      ...(over.service === undefined && over.url === undefined
        ? {}
        : {
            conversion: {
              strategy: 'Webhook',
              webhook: { conversionReviewVersions: ['v1'], clientConfig: clientConfig(over, '/convert') },
            },
          }),
    },
  };
}

/** An APIService `version.group` served by a Service. `unavailable`: reason and message of its condition. */
export function apiService(
  name: string,
  serviceKey: string,
  unavailable?: { readonly reason: string; readonly message: string },
): ApiObject {
  const [version = '', ...group] = name.split('.');
  const available =
    unavailable === undefined
      ? { status: 'True', reason: 'Passed', message: 'all checks passed' }
      : { status: 'False', ...unavailable };
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group: group.join('.'),
      version,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      caBundle,
      service: split(serviceKey),
    },
    status: { conditions: [{ type: 'Available', lastTransitionTime: ago('20m'), ...available }] },
  };
}
