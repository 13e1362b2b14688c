import { nothingRequested } from '../../src/collect/collectors/catalogue.ts';
import { caBundle } from '../../src/demo/certificate/demo-certificates.ts';
import type {
  AdmissionCallout,
  AggregatedApiCallout,
  ConversionCallout,
  ServiceReference,
} from '../../src/facts/callout.ts';
import { complete, type Lookup, nothingRead } from '../../src/facts/lookup.ts';
import { keyOf } from '../../src/facts/object-ref.ts';
import type { EndpointSlice } from '../../src/facts/objects/endpoint-slice.ts';
import type { Namespace } from '../../src/facts/objects/namespace.ts';
import type { Pod } from '../../src/facts/objects/pod.ts';
import type { Service, ServicePort } from '../../src/facts/objects/service.ts';
import type { Workload } from '../../src/facts/objects/workload.ts';
import type { Facts, Snapshot } from '../../src/facts/snapshot.ts';

export const takenAt = '2026-01-01T00:00:00Z';

const none = <V>(): Lookup<V> => complete<V>([]);

const nothingExists = Object.fromEntries(
  Object.entries(nothingRequested()).map(([fact, value]) => [
    fact,
    typeof value === 'object' && 'incomplete' in value ? none() : value,
  ]),
) as unknown as Facts;

/** A snapshot in which every fact that is not given is complete and empty. */
export function snapshotOf(facts: Partial<Facts>): Snapshot {
  const everything: Facts = {
    ...nothingExists,
    takenAt,
    version: 'v1.35.4',
    metrics: nothingRead({ what: 'metrics of the API server', why: 'not-requested' }),
    clock: undefined,
    routing: { mode: 'cluster-ip' },
    ...facts,
  };
  return {
    cluster: { server: 'https://cluster.example', version: 'v1.35.4' },
    facts: everything,
    notLookedAt: [],
  };
}

const backend: ServiceReference = { namespace: 'shop', name: 'policy', port: 443, path: '/validate' };

/** A validating webhook `policy.example.com` of the configuration `policy`, served by the Service shop/policy. */
export const webhook = (over: Partial<AdmissionCallout> = {}): AdmissionCallout => ({
  kind: 'validating',
  ref: { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' },
  configuration: 'policy',
  webhook: 'policy.example.com',
  index: 0,
  metadata: { name: 'policy', creationTimestamp: '2025-12-01T00:00:00Z' },
  client: { service: backend, caBundle },
  timeoutSeconds: 10,
  failurePolicy: 'Fail',
  rules: [
    { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], scope: '*' },
  ],
  namespaceSelector: {},
  objectSelector: {},
  matchPolicy: 'Equivalent',
  matchConditions: [],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...over,
});

/** The conversion webhook of the CRD widgets.example.com, served by shop/policy. */
export const conversion = (over: Partial<ConversionCallout> = {}): ConversionCallout => ({
  kind: 'conversion',
  ref: { kind: 'CustomResourceDefinition', name: 'widgets.example.com' },
  configuration: 'widgets.example.com',
  webhook: 'widgets.example.com',
  index: 0,
  metadata: { name: 'widgets.example.com' },
  client: { service: { ...backend, path: '/convert' }, caBundle },
  timeoutSeconds: 30,
  resource: { group: 'example.com', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
  versions: [
    { name: 'v1', served: true, storage: true },
    { name: 'v1beta1', served: true, storage: false },
  ],
  storedVersions: ['v1'],
  conversionReviewVersions: ['v1'],
  conditions: [],
  ...over,
});

/** The APIService v1beta1.metrics.example.com, served by shop/policy. */
export const aggregatedApi = (over: Partial<AggregatedApiCallout> = {}): AggregatedApiCallout => ({
  kind: 'aggregated-api',
  ref: { kind: 'APIService', name: 'v1beta1.metrics.example.com' },
  configuration: 'v1beta1.metrics.example.com',
  webhook: 'v1beta1.metrics.example.com',
  index: 0,
  metadata: { name: 'v1beta1.metrics.example.com' },
  client: { service: { namespace: 'shop', name: 'policy', port: 443 }, caBundle },
  timeoutSeconds: 5,
  group: 'metrics.example.com',
  version: 'v1beta1',
  insecureSkipTLSVerify: false,
  conditions: [],
  ...over,
});

/** The Service shop/policy, 443 → 8443, selector app=policy. */
export const service = (
  spec: Partial<Service['spec']> = {},
  metadata: Partial<Service['metadata']> = {},
): Service => ({
  metadata: { name: 'policy', namespace: 'shop', ...metadata },
  spec: {
    type: 'ClusterIP',
    clusterIP: '203.0.113.10',
    clusterIPs: ['203.0.113.10'],
    ipFamilies: ['IPv4'],
    ports: [port()],
    selector: { app: 'policy' },
    internalTrafficPolicy: 'Cluster',
    ...spec,
  },
});
export const port = (over: Partial<ServicePort> = {}): ServicePort => ({
  port: 443,
  protocol: 'TCP',
  targetPort: 8443,
  ...over,
});

/** A ready replica policy-1 of shop/policy on node n1. */
export const pod = (
  over: {
    metadata?: Partial<Pod['metadata']>;
    spec?: Partial<Pod['spec']>;
    status?: Partial<Pod['status']>;
  } = {},
): Pod => ({
  metadata: {
    name: 'policy-1',
    namespace: 'shop',
    uid: 'uid-1',
    labels: { app: 'policy', 'pod-template-hash': 'abc' },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'policy-abc', uid: 'rs-1', controller: true },
    ],
    ...over.metadata,
  },
  spec: { nodeName: 'n1', containers: [{ name: 'webhook', ports: [{ containerPort: 8443 }] }], ...over.spec },
  status: {
    phase: 'Running',
    podIP: '198.51.100.7',
    podIPs: [{ ip: '198.51.100.7' }],
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'webhook', ready: true, restartCount: 0, state: { running: {} } }],
    ...over.status,
  },
});

/** The slice of shop/policy with the given endpoints (default: the ready replica of {@link pod}). */
export const slice = (
  endpoints: EndpointSlice['endpoints'] = [
    {
      addresses: ['198.51.100.7'],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace: 'shop', name: 'policy-1', uid: 'uid-1' },
      nodeName: 'n1',
    },
  ],
  over: Partial<EndpointSlice> = {},
): EndpointSlice => ({
  metadata: {
    name: 'policy-x',
    namespace: 'shop',
    labels: {
      'kubernetes.io/service-name': 'policy',
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    },
  },
  addressType: 'IPv4',
  ports: [{ name: '', protocol: 'TCP', port: 8443 }],
  endpoints,
  ...over,
});

/** The Deployment shop/policy (or another kind), one replica wanted. */
export const workload = (
  over: {
    kind?: Workload['kind'];
    metadata?: Partial<Workload['metadata']>;
    spec?: Partial<Workload['spec']>;
    status?: Workload['status'];
  } = {},
): Workload => ({
  kind: over.kind ?? 'Deployment',
  metadata: { name: 'policy', namespace: 'shop', uid: 'deploy-1', ...over.metadata },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'policy' } },
    template: {
      metadata: { labels: { app: 'policy' } },
      spec: { containers: [{ name: 'webhook', ports: [{ containerPort: 8443 }] }] },
    },
    ...over.spec,
  },
  status: over.status ?? { replicas: 1, readyReplicas: 1 },
});

export const namespace = (name = 'shop', labels: Readonly<Record<string, string>> = {}): Namespace => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } },
  status: { phase: 'Active' },
});

/** A complete lookup of objects, by `namespace/name` or name. */
export const objects = <
  T extends { readonly metadata: { readonly name: string; readonly namespace?: string } },
>(
  ...items: readonly T[]
): Lookup<T> => complete(items.map((item) => [keyOf(item.metadata), item]));

/** A complete lookup of one list per key. */
export const lists = <T>(byKey: Readonly<Record<string, readonly T[]>>): Lookup<readonly T[]> =>
  complete(Object.entries(byKey));

/** The facts of one healthy backend: webhook, Service, slice, Pod, workload and namespace, with changes. */
export const healthy = (over: Partial<Facts> = {}): Partial<Facts> => ({
  callouts: [webhook()],
  services: objects(service()),
  endpointSlices: lists({ 'shop/policy': [slice()] }),
  namespaces: objects(namespace()),
  pods: lists({ 'shop/policy': [pod()] }),
  workloads: lists({ shop: [workload()] }),
  ...over,
});
