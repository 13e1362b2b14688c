import { createHash } from 'node:crypto';
import { defined } from '../../basics/collections.ts';
import type { Container, PodSpec, Probe, Volume } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { ApiObject } from '../api-server/object-store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A ClusterIP derived from the Service, so that it is the same in every run. */
const clusterIp = ({ metadata }: ApiObject, prefix: string): string => {
  const hash = createHash('sha256').update(`${metadata.namespace}/${metadata.name}`).digest();
  return `${prefix}${((hash[0] ?? 0) % 240) + 10}`;
};

function addressesOf(object: ApiObject, spec: Service['spec']): Fields {
  const { clusterIP } = spec;
  if (clusterIP !== undefined) return { clusterIP, clusterIPs: spec.clusterIPs ?? [clusterIP] };
  const families = spec.ipFamilies ?? ['IPv4'];
  const addresses = families.map((family) =>
    clusterIp(object, family === 'IPv4' ? '203.0.113.' : '2001:db8:5::'),
  );
  return { clusterIP: addresses[0], clusterIPs: addresses };
}

/** pkg/apis/core/v1/defaults.go, and the ClusterIP. */
function service(object: ApiObject): ApiObject {
  const spec = object.spec as Service['spec'];
  const ports = spec.ports?.map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port }));
  const common = {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ...spec,
    ...(ports === undefined ? {} : { ports }),
  };
  if (spec.type === 'ExternalName') return { ...object, spec: common };
  return {
    ...object,
    spec: {
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: (spec.ipFamilies ?? []).length > 1 ? 'RequireDualStack' : 'SingleStack',
      ...common,
      ...addressesOf(object, spec),
    },
    status: { loadBalancer: {} },
  };
}

const probe = (given: Probe | undefined): Fields | undefined =>
  given && {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
    ...given,
    ...(given.httpGet === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...given.httpGet } }),
  };

const pulledAlways = (image: string): boolean => {
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
};

const container = (given: Container): Fields => ({
  imagePullPolicy: pulledAlways(given.image ?? '') ? 'Always' : 'IfNotPresent',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  ...given,
  ...(given.ports === undefined ? {} : { ports: given.ports.map((port) => ({ protocol: 'TCP', ...port })) }),
  ...defined({
    readinessProbe: probe(given.readinessProbe),
    livenessProbe: probe(given.livenessProbe),
    startupProbe: probe(given.startupProbe),
  }),
});

const volume = (given: Volume): Fields => ({
  ...given,
  ...(given.secret === undefined ? {} : { secret: { defaultMode: 420, ...given.secret } }),
  ...(given.configMap === undefined ? {} : { configMap: { defaultMode: 420, ...given.configMap } }),
});

/** pkg/apis/core/v1/defaults.go, for the fields that demo Pods have. */
const podSpec = (given: PodSpec): Fields => ({
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
  ...given,
  containers: given.containers.map(container),
  ...(given.initContainers === undefined ? {} : { initContainers: given.initContainers.map(container) }),
  ...(given.volumes === undefined ? {} : { volumes: given.volumes.map(volume) }),
  ...(given.serviceAccountName === undefined ? {} : { serviceAccount: given.serviceAccountName }),
});

const quarter = { maxUnavailable: '25%', maxSurge: '25%' };
/** pkg/apis/apps/v1/defaults.go */
const workloadSpec: Readonly<Record<string, Fields>> = {
  Deployment: {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    strategy: { type: 'RollingUpdate', rollingUpdate: quarter },
  },
  ReplicaSet: { replicas: 1 },
  StatefulSet: {
    replicas: 1,
    revisionHistoryLimit: 10,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  },
  DaemonSet: {
    revisionHistoryLimit: 10,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  },
};

function workload(object: ApiObject): ApiObject {
  const spec = object.spec as Fields & { template: { spec: PodSpec } };
  const template = { ...spec.template, spec: podSpec(spec.template.spec) };
  return { ...object, spec: { ...workloadSpec[object.kind], ...spec, template } };
}

const portDefault = (client: Fields): Fields =>
  client.service === undefined
    ? client
    : { ...client, service: { port: 443, ...(client.service as Fields) } };

/** pkg/apis/admissionregistration/v1/defaults.go */
function configuration(object: ApiObject): ApiObject {
  const webhooks = (object.webhooks ?? []) as readonly Fields[];
  return {
    ...object,
    webhooks: webhooks.map((webhook) => ({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...(object.kind === 'MutatingWebhookConfiguration' ? { reinvocationPolicy: 'Never' } : {}),
      ...webhook,
      clientConfig: portDefault(webhook.clientConfig as Fields),
      rules: ((webhook.rules ?? []) as readonly Fields[]).map((rule) => ({ scope: '*', ...rule })),
    })),
  };
}

const established = (object: ApiObject) => ({
  conditions: [
    { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    },
  ],
  acceptedNames: (object.spec as Fields).names,
  storedVersions: ['v1'],
});

interface Conversion {
  readonly strategy: string;
  readonly webhook?: Fields & { readonly clientConfig: Fields };
}

/** apiextensions-apiserver pkg/apis/apiextensions/v1/defaults.go, and the status with accepted names. */
function customResource(object: ApiObject): ApiObject {
  const spec = object.spec as Fields;
  const { strategy, webhook } = (spec.conversion ?? { strategy: 'None' }) as Conversion;
  const conversion =
    webhook === undefined
      ? { strategy }
      : { strategy, webhook: { ...webhook, clientConfig: portDefault(webhook.clientConfig) } };
  return { status: established(object), ...object, spec: { ...spec, conversion } };
}

const apiService = (object: ApiObject): ApiObject => ({
  ...object,
  spec: portDefault(object.spec as Fields),
});

/** pkg/apis/discovery/v1/defaults.go */
const endpointSlice = (object: ApiObject): ApiObject => ({
  ...object,
  ports: ((object.ports ?? []) as readonly Fields[]).map((port) => ({ name: '', protocol: 'TCP', ...port })),
  endpoints: ((object.endpoints ?? []) as readonly Fields[]).map((endpoint) => ({
    conditions: {},
    ...endpoint,
  })),
});

/** The label of every namespace since 1.21 (pkg/apis/core/v1/defaults.go). */
const namespace = (object: ApiObject): ApiObject => ({
  status: { phase: 'Active' },
  ...object,
  spec: { finalizers: ['kubernetes'] },
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
  },
});

const byKind: Readonly<Record<string, (object: ApiObject) => ApiObject>> = {
  Service: service,
  Deployment: workload,
  ReplicaSet: workload,
  StatefulSet: workload,
  DaemonSet: workload,
  Pod: (object) => ({ ...object, spec: podSpec(object.spec as PodSpec) }),
  ValidatingWebhookConfiguration: configuration,
  MutatingWebhookConfiguration: configuration,
  CustomResourceDefinition: customResource,
  APIService: apiService,
  EndpointSlice: endpointSlice,
  Namespace: namespace,
};

/** The object with the API server's defaults for fields that a scenario omits. */
export const withDefaults = (object: ApiObject): ApiObject => byKind[object.kind]?.(object) ?? object;
