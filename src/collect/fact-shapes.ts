import type { CalloutKind } from '../facts/callout.ts';
import { isLookup, type Lookup } from '../facts/lookup.ts';
import type { Metadata } from '../facts/objects.ts';
import type { FactName, Facts } from '../facts/snapshot.ts';
import { anyObject, metadata, objectConditions, selector, shapeOf, workload } from './object-shapes.ts';
import { type FieldShape, misfit, type ShapeFields, texts } from './shape.ts';

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
const calloutShapes: Readonly<Record<CalloutKind, ShapeFields>> = {
  validating: admission,
  mutating: admission,
  conversion: {
    ...callout,
    'resource!': { 'group!': 'text', 'plural!': 'text', 'kind!': 'text', 'scope!': 'text' },
    'versions!': [{ 'name!': 'text', served: 'flag', storage: 'flag' }],
    'storedVersions!': texts,
    'conversionReviewVersions!': texts,
    'conditions!': objectConditions,
  },
  'aggregated-api': {
    ...callout,
    'group!': 'text',
    'version!': 'text',
    insecureSkipTLSVerify: 'flag',
    'conditions!': objectConditions,
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

/** Facts that are read by keys, and those that contain lists of objects. */
type LookupFact = { [F in FactName]: Facts[F] extends Lookup<unknown> ? F : never }[FactName];
type ListFact = {
  [F in FactName]: Facts[F] extends Lookup<readonly { readonly metadata: Metadata }[]> ? F : never;
}[FactName];

/** The types of facts that are read by keys; default: a list of any objects. */
const factShapes: Readonly<Record<Exclude<LookupFact, ListFact>, FieldShape>> &
  Readonly<Partial<Record<ListFact, FieldShape>>> = {
  configurations: texts,
  services: shapeOf('services'),
  endpointSlices: [shapeOf('endpointslices')],
  namespaces: shapeOf('namespaces'),
  served,
  nodes: shapeOf('nodes'),
  pods: [shapeOf('pods')],
  endpointPods: shapeOf('pods'),
  namespacePods: [shapeOf('pods')],
  pendingPods: [shapeOf('pods')],
  apiServerPods: [shapeOf('pods')],
  networkPods: [shapeOf('pods')],
  workloads: [{ ...workload, 'kind!': 'kind of workload' }],
  jobs: [shapeOf('jobs')],
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

/** The first value of recorded facts with a wrong type; undefined if none, as far as types are known. */
export function malformedFact(facts: Facts): string | undefined {
  for (const [index, one] of facts.callouts.entries()) {
    const shape = Object.hasOwn(calloutShapes, one?.kind) ? calloutShapes[one.kind] : undefined;
    const found = shape === undefined ? '.kind' : misfit(one, shape);
    if (found !== undefined) return `callouts[${index}]${found}`;
  }
  for (const [name, fact] of Object.entries(facts) as [LookupFact, unknown][]) {
    for (const [key, value] of isLookup(fact) ? fact.entries() : []) {
      const found = misfit(value, factShapes[name] ?? [anyObject]);
      if (found !== undefined) return `${name}["${key}"]${found}`;
    }
  }
  return undefined;
}
