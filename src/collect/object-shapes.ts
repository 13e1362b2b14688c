import type { CalloutKind } from '../facts/callout.ts';
import { isLookup, type Lookup } from '../facts/lookup.ts';
import type { Metadata } from '../facts/objects/metadata.ts';
import type { WorkloadKind } from '../facts/objects/workload.ts';
import type { FactName, Facts } from '../facts/snapshot.ts';

/** The type of a field: text, number, boolean, map of texts, either of two, list, or object. */
type Shape =
  | 'text'
  | 'kind of workload'
  | 'number'
  | 'flag'
  | 'bytes'
  | 'text or object'
  | 'texts by name'
  | 'numbers by name'
  | 'text or number'
  | readonly [Shape]
  | Fields;
/** Fields by name; `!` marks required ones. */
interface Fields {
  readonly [field: string]: Shape;
}

const texts = ['text'] as const;
const selector = {
  matchLabels: 'texts by name',
  matchExpressions: [{ 'key!': 'text', 'operator!': 'text', values: texts }],
} as const;
const metadata = {
  'name!': 'text',
  namespace: 'text',
  uid: 'text',
  resourceVersion: 'text',
  creationTimestamp: 'text',
  deletionTimestamp: 'text',
  labels: 'texts by name',
  annotations: 'texts by name',
  finalizers: texts,
  ownerReferences: [
    { 'kind!': 'text', 'name!': 'text', 'uid!': 'text', apiVersion: 'text', controller: 'flag' },
  ],
  managedFields: [{ manager: 'text', operation: 'text', time: 'text', fieldsType: 'text' }],
} as const;
const conditions = [
  { 'type!': 'text', 'status!': 'text', reason: 'text', message: 'text', lastTransitionTime: 'text' },
] as const;
const service = { namespace: 'text', name: 'text', path: 'text', port: 'number' } as const;
const clientConfig = { url: 'text', caBundle: 'text', service } as const;
const port = { name: 'text', protocol: 'text', port: 'number', targetPort: 'text or number' } as const;
const container = {
  'name!': 'text',
  image: 'text',
  command: texts,
  args: texts,
  ports: [{ name: 'text', 'containerPort!': 'number', hostPort: 'number', protocol: 'text' }],
  env: [{ 'name!': 'text', value: 'text' }],
  volumeMounts: [{ 'name!': 'text', 'mountPath!': 'text', subPath: 'text' }],
} as const;
const podSpec = {
  nodeName: 'text',
  serviceAccountName: 'text',
  schedulerName: 'text',
  hostNetwork: 'flag',
  nodeSelector: 'texts by name',
  'containers!': [container],
  initContainers: [container],
  volumes: [{ 'name!': 'text', secret: { secretName: 'text' }, configMap: { name: 'text' } }],
  tolerations: [{ key: 'text', operator: 'text', value: 'text', effect: 'text' }],
  imagePullSecrets: [{ name: 'text' }],
  readinessGates: [{ conditionType: 'text' }],
  schedulingGates: [{ name: 'text' }],
} as const;
const containerStatuses = [
  {
    'name!': 'text',
    ready: 'flag',
    started: 'flag',
    restartCount: 'number',
    image: 'text',
    state: {},
    lastState: {},
  },
] as const;
const podStatus = {
  phase: 'text',
  reason: 'text',
  message: 'text',
  podIP: 'text',
  podIPs: [{ ip: 'text' }],
  hostIP: 'text',
  startTime: 'text',
  conditions,
  containerStatuses,
  initContainerStatuses: containerStatuses,
} as const;
const webhookConfiguration = {
  'metadata!': metadata,
  webhooks: [
    {
      'name!': 'text',
      clientConfig,
      rules: [{ operations: texts, apiGroups: texts, apiVersions: texts, resources: texts, scope: 'text' }],
      failurePolicy: 'text',
      matchPolicy: 'text',
      namespaceSelector: selector,
      objectSelector: selector,
      matchConditions: [{ 'name!': 'text', 'expression!': 'text' }],
      sideEffects: 'text',
      timeoutSeconds: 'number',
      admissionReviewVersions: texts,
      reinvocationPolicy: 'text',
    },
  ],
} as const;
const workload = {
  'metadata!': metadata,
  'spec!': {
    replicas: 'number',
    selector,
    'template!': { metadata: { labels: 'texts by name', annotations: 'texts by name' }, 'spec!': podSpec },
  },
  status: { replicas: 'number', readyReplicas: 'number', conditions },
} as const;
const discovery = {
  items: [
    {
      metadata: { name: 'text' },
      versions: [
        {
          'version!': 'text',
          freshness: 'text',
          resources: [
            {
              'resource!': 'text',
              scope: 'text',
              singularResource: 'text',
              shortNames: texts,
              verbs: texts,
              responseKind: { kind: 'text' },
              subresources: [{ 'subresource!': 'text', responseKind: { kind: 'text' }, verbs: texts }],
            },
          ],
        },
      ],
    },
  ],
} as const;

/** The fields of each resource that this program reads. Other resources: metadata only. */
const shapes: Readonly<Record<string, Fields>> = {
  mutatingwebhookconfigurations: webhookConfiguration,
  validatingwebhookconfigurations: webhookConfiguration,
  customresourcedefinitions: {
    'metadata!': metadata,
    'spec!': {
      'group!': 'text',
      'scope!': 'text',
      'names!': { 'plural!': 'text', 'kind!': 'text' },
      versions: [{ 'name!': 'text', served: 'flag', storage: 'flag' }],
      conversion: { strategy: 'text', webhook: { clientConfig, conversionReviewVersions: texts } },
    },
    status: { storedVersions: texts, conditions },
  },
  apiservices: {
    'metadata!': metadata,
    'spec!': { group: 'text', version: 'text', caBundle: 'text', insecureSkipTLSVerify: 'flag', service },
    status: { conditions },
  },
  services: {
    'metadata!': metadata,
    'spec!': {
      type: 'text',
      clusterIP: 'text',
      clusterIPs: texts,
      ipFamilies: texts,
      ports: [port],
      selector: 'texts by name',
      externalName: 'text',
    },
  },
  endpointslices: {
    'metadata!': metadata,
    'addressType!': 'text',
    ports: [port],
    endpoints: [
      {
        'addresses!': texts,
        conditions: { ready: 'flag', serving: 'flag', terminating: 'flag' },
        targetRef: { kind: 'text', namespace: 'text', name: 'text', uid: 'text' },
        nodeName: 'text',
        zone: 'text',
      },
    ],
  },
  namespaces: { 'metadata!': metadata, status: { phase: 'text', conditions } },
  nodes: {
    'metadata!': metadata,
    spec: { unschedulable: 'flag', taints: [{ 'key!': 'text', value: 'text', 'effect!': 'text' }] },
    status: { conditions, addresses: [{ 'type!': 'text', 'address!': 'text' }] },
  },
  pods: { 'metadata!': metadata, 'spec!': podSpec, status: podStatus },
  deployments: workload,
  replicasets: workload,
  statefulsets: workload,
  daemonsets: workload,
  jobs: workload,
  certificates: { 'metadata!': metadata, 'spec!': { secretName: 'text' }, status: { conditions } },
  '/api': discovery,
  '/apis': discovery,
  '/version': { gitVersion: 'text' },
};
/** Adds a status if the kind has one: an API server may omit an empty status. */
export const withStatus = <T extends object>(object: T, plural: string): T =>
  shapes[plural]?.status === undefined || 'status' in object ? object : { ...object, status: {} };

const anyObject: Fields = { 'metadata!': metadata };
const objects: Shape = [anyObject];

const callout = {
  'ref!': { 'kind!': 'text', 'name!': 'text', namespace: 'text', webhook: 'text' },
  'configuration!': 'text',
  'webhook!': 'text',
  'index!': 'number',
  'metadata!': metadata,
  'client!': {
    url: 'text',
    caBundle: 'text',
    service: { 'namespace!': 'text', 'name!': 'text', 'port!': 'number', path: 'text' },
  },
  'timeoutSeconds!': 'number',
} as const;
const admission = {
  ...callout,
  'failurePolicy!': 'text',
  'matchPolicy!': 'text',
  'rules!': [
    {
      'operations!': texts,
      'apiGroups!': texts,
      'apiVersions!': texts,
      'resources!': texts,
      scope: 'text',
    },
  ],
  'namespaceSelector!': selector,
  'objectSelector!': selector,
  'matchConditions!': [{ 'name!': 'text', 'expression!': 'text' }],
  sideEffects: 'text',
  'admissionReviewVersions!': texts,
  reinvocationPolicy: 'text',
} as const;

/** Webhooks and APIServices of a snapshot, by kind. */
const calloutShapes: Readonly<Record<CalloutKind, Fields>> = {
  validating: admission,
  mutating: admission,
  conversion: {
    ...callout,
    'resource!': { 'group!': 'text', 'plural!': 'text', 'kind!': 'text', 'scope!': 'text' },
    'versions!': [{ 'name!': 'text', served: 'flag', storage: 'flag' }],
    'storedVersions!': texts,
    'conversionReviewVersions!': texts,
    'conditions!': conditions,
  },
  'aggregated-api': {
    ...callout,
    'group!': 'text',
    'version!': 'text',
    insecureSkipTLSVerify: 'flag',
    'conditions!': conditions,
  },
};

const served = {
  'resources!': [
    {
      'group!': 'text',
      'version!': 'text',
      'resource!': 'text',
      'kind!': 'text',
      'singular!': 'text',
      shortNames: texts,
      namespaced: 'flag',
      'verbs!': texts,
    },
  ],
  'stale!': texts,
} as const;

const unread = [{ 'what!': 'text or object', 'why!': 'text', detail: 'text' }] as const;
const failure = { 'text!': 'text', 'kind!': 'text', alert: 'text' } as const;
const proxied = { 'reached!': 'flag', 'status!': 'number', 'text!': 'text' } as const;
const response = {
  'status!': 'number',
  'headers!': 'texts by name',
  'body!': 'bytes',
  cutShort: 'flag',
  tooLarge: 'text',
} as const;
const dialogue = {
  'way!': 'text',
  handshake: { 'protocol!': 'text', 'cipher!': 'text', 'presented!': ['bytes'] },
  'reviews!': [
    {
      'version!': 'text',
      'uid!': 'text',
      'operation!': 'text',
      'resource!': 'text',
      answer: response,
      failure,
    },
  ],
  failure,
} as const;
const ownCall = {
  'operation!': 'text',
  'resource!': 'text',
  namespace: 'text',
  'status!': 'number',
  'message!': 'text',
  again: { 'passed!': 'flag', 'messages!': texts },
} as const;
const probes = {
  'level!': 'text',
  'serverName!': 'text',
  'replicas!': [
    {
      pod: 'text',
      'port!': 'number',
      endpoint: 'text',
      ready: 'flag',
      'dialogues!': [dialogue],
      proxy: proxied,
      'notTried!': unread,
    },
  ],
  url: dialogue,
  serviceProxy: proxied,
  dryRun: ownCall,
  invalid: ownCall,
  discovery: { 'status!': 'number', 'message!': 'text' },
  'notTried!': unread,
  beyondReplicas: unread,
} as const;

const objectRef = { 'kind!': 'text', namespace: 'text', 'name!': 'text', webhook: 'text' } as const;
const trial = { 'outcome!': 'text', why: 'text' } as const;
const metricsReading = {
  'readAt!': 'text',
  since: 'text',
  'webhooks!': [
    {
      'webhook!': 'text',
      'type!': 'text',
      'denied!': 'number',
      'refused!': 'numbers by name',
      'unusable!': 'number',
      'failedOpen!': 'number',
      'conditionErrors!': 'number',
      'calls!': 'number',
      'seconds!': 'number',
      'buckets!': [{ 'seconds!': 'number', 'calls!': 'number' }],
    },
  ],
  'conversions!': [{ 'resource!': 'text', 'converted!': 'number', 'failed!': 'number' }],
} as const;

const each = (plural: string): Shape => [shapes[plural] ?? anyObject];

/** Facts that are read by keys, and those that contain lists of objects. */
type LookupFact = { [F in FactName]: Facts[F] extends Lookup<unknown> ? F : never }[FactName];
type ListFact = {
  [F in FactName]: Facts[F] extends Lookup<readonly { readonly metadata: Metadata }[]> ? F : never;
}[FactName];

/** The types of facts that are read by keys; default: a list of any objects. */
const factShapes: Readonly<Record<Exclude<LookupFact, ListFact>, Shape>> &
  Readonly<Partial<Record<ListFact, Shape>>> = {
  configurations: texts,
  services: shapes.services ?? anyObject,
  endpointSlices: each('endpointslices'),
  namespaces: shapes.namespaces ?? anyObject,
  served,
  nodes: shapes.nodes ?? anyObject,
  pods: each('pods'),
  endpointPods: shapes.pods ?? anyObject,
  namespacePods: each('pods'),
  pendingPods: each('pods'),
  apiServerPods: each('pods'),
  networkPods: each('pods'),
  workloads: [{ ...workload, 'kind!': 'kind of workload' }],
  jobs: each('jobs'),
  podConfigMaps: [metadata],
  podReferences: metadata,
  persistentVolumeClaims: metadata,
  issuers: anyObject,
  podControllers: anyObject,
  secrets: { ...anyObject, 'keys!': texts, 'certificates!': 'texts by name' },
  configMaps: { ...anyObject, 'keys!': texts, 'certificates!': 'texts by name' },
  logs: 'text',
  rbacDenials: [
    {
      'pod!': objectRef,
      'container!': 'text',
      'line!': 'text',
      forbidden: { 'account!': 'text', 'verb!': 'text', 'resource!': 'text', namespace: 'text' },
      missing: 'text',
    },
  ],
  parkingTrials: { 'answers!': [{ 'webhook!': objectRef, 'tried!': trial }], dryRun: trial },
  metrics: {
    'servers!': [{ ...metricsReading, 'server!': 'text', before: metricsReading }],
    'unread!': [{ 'server!': 'text', 'detail!': 'text' }],
    'missing!': 'number',
  },
  probes,
  samples: [
    {
      'object!': objectRef,
      'by!': 'text',
      'operation!': 'text',
      'admitted!': 'flag',
      probes,
      notAsked: 'text',
      dryRun: ownCall,
    },
  ],
};

const workloadKinds: ReadonlySet<unknown> = new Set<WorkloadKind>([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
]);

const isOf: Readonly<Record<Extract<Shape, string>, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  'kind of workload': (value) => workloadKinds.has(value),
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  bytes: (value) => value instanceof Uint8Array,
  'text or object': (value) =>
    typeof value === 'string' || (typeof value === 'object' && 'resource' in (value ?? {})),
  'text or number': (value) => typeof value === 'string' || typeof value === 'number',
  'texts by name': (value) => isByName(value, 'string'),
  'numbers by name': (value) => isByName(value, 'number'),
};

function isByName(value: unknown, type: 'string' | 'number'): boolean {
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const held = value as Readonly<Record<string, unknown>>;
  for (const name in held) if (typeof held[name] !== type) return false;
  return true;
}

interface Field {
  readonly name: string;
  readonly shape: Shape;
  readonly required: boolean;
}

/** Caches the names without `!` for each shape. */
const fieldsOf = new Map<Fields, readonly Field[]>();
function entriesOf(fields: Fields): readonly Field[] {
  const known = fieldsOf.get(fields);
  if (known !== undefined) return known;
  const made = Object.entries(fields).map(([name, shape]) => ({
    name: name.replace('!', ''),
    shape,
    required: name.endsWith('!'),
  }));
  fieldsOf.set(fields, made);
  return made;
}

/**
 * The path of the first value with a wrong type; undefined if none. Called for every field of every object:
 * no allocations.
 */
function misfit(value: unknown, shape: Shape): string | undefined {
  if (typeof shape === 'string') return isOf[shape](value) ? undefined : '';
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(shape)) return '';
  if (Array.isArray(shape)) {
    const items = value as readonly unknown[];
    for (let index = 0; index < items.length; index += 1) {
      const found = misfit(items[index], shape[0] as Shape);
      if (found !== undefined) return `[${index}]${found}`;
    }
    return undefined;
  }
  const holder = value as Record<string, unknown>;
  const fields = entriesOf(shape as Fields);
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] as Field;
    const held = holder[field.name];
    if (held === undefined || held === null) {
      if (field.required) return `.${field.name}`;
      // Go writes null for absent values.
      if (held === null) holder[field.name] = undefined;
      continue;
    }
    const found = misfit(held, field.shape);
    if (found !== undefined) return `.${field.name}${found}`;
  }
  return undefined;
}

/**
 * The first field of an object with a wrong type, `.spec.ports`; undefined if none. The API server decodes
 * objects into its own types: a server that sends others is no API server, and its objects are not used.
 *
 * @param of plural of the resource, or a path.
 */
export const malformedField = (object: unknown, of: string): string | undefined =>
  misfit(object, shapes[of] ?? (of.startsWith('/') ? {} : anyObject));

/** The first value of recorded facts with a wrong type; undefined if none, as far as types are known. */
export function malformedFact(facts: Facts): string | undefined {
  for (const [index, one] of facts.callouts.entries()) {
    const shape = Object.hasOwn(calloutShapes, one?.kind) ? calloutShapes[one.kind] : undefined;
    const found = shape === undefined ? '.kind' : misfit(one, shape);
    if (found !== undefined) return `callouts[${index}]${found}`;
  }
  for (const [name, fact] of Object.entries(facts) as [LookupFact, unknown][]) {
    for (const [key, value] of isLookup(fact) ? fact.entries() : []) {
      const found = misfit(value, factShapes[name] ?? objects);
      if (found !== undefined) return `${name}["${key}"]${found}`;
    }
  }
  return undefined;
}
