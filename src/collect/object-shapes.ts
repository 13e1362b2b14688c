import { misfit, type ShapeFields, texts } from './shape.ts';

/** A LabelSelector. */
export const selector = {
  matchLabels: 'texts by name',
  matchExpressions: [{ 'key!': 'text', 'operator!': 'text', values: texts }],
} as const;
/** The metadata of any object. */
export const metadata = {
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
/** `status.conditions` of any object. */
export const objectConditions = [
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
  conditions: objectConditions,
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
/** A Deployment, ReplicaSet, StatefulSet, DaemonSet or Job. */
export const workload = {
  'metadata!': metadata,
  'spec!': {
    replicas: 'number',
    selector,
    'template!': { metadata: { labels: 'texts by name', annotations: 'texts by name' }, 'spec!': podSpec },
  },
  status: { replicas: 'number', readyReplicas: 'number', conditions: objectConditions },
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
const shapes: Readonly<Record<string, ShapeFields>> = {
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
    status: { storedVersions: texts, conditions: objectConditions },
  },
  apiservices: {
    'metadata!': metadata,
    'spec!': { group: 'text', version: 'text', caBundle: 'text', insecureSkipTLSVerify: 'flag', service },
    status: { conditions: objectConditions },
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
  namespaces: { 'metadata!': metadata, status: { phase: 'text', conditions: objectConditions } },
  nodes: {
    'metadata!': metadata,
    spec: { unschedulable: 'flag', taints: [{ 'key!': 'text', value: 'text', 'effect!': 'text' }] },
    status: { conditions: objectConditions, addresses: [{ 'type!': 'text', 'address!': 'text' }] },
  },
  pods: { 'metadata!': metadata, 'spec!': podSpec, status: podStatus },
  deployments: workload,
  replicasets: workload,
  statefulsets: workload,
  daemonsets: workload,
  jobs: workload,
  certificates: {
    'metadata!': metadata,
    'spec!': { secretName: 'text' },
    status: { conditions: objectConditions },
  },
  '/api': discovery,
  '/apis': discovery,
  '/version': { gitVersion: 'text' },
};
/** Adds a status if the kind has one: an API server may omit an empty status. */
export const withStatus = <T extends object>(object: T, plural: string): T =>
  shapes[plural]?.status === undefined || 'status' in object ? object : { ...object, status: {} };

/** An object of which only the metadata is read. */
export const anyObject: ShapeFields = { 'metadata!': metadata };

/** The fields that this program reads of objects of a resource, by its plural. */
export const shapeOf = (plural: string): ShapeFields => shapes[plural] ?? anyObject;

/**
 * The first field of an object with a wrong type, `.spec.ports`; undefined if none. The API server decodes
 * objects into its own types: a server that sends others is no API server, and its objects are not used.
 *
 * @param of plural of the resource, or a path.
 */
export const malformedField = (object: unknown, of: string): string | undefined =>
  misfit(object, of.startsWith('/') ? (shapes[of] ?? {}) : shapeOf(of));
