import type { AdmissionRequest } from '../../src/apiserver/admission/admission-request.ts';
import type { RuleWithOperations } from '../../src/facts/callout.ts';
import type { KubeObject } from '../cluster/client.ts';

type Labels = Readonly<Record<string, string>>;
/** An object as a webhook receives it, or as it is sent. */
export interface TracedObject extends KubeObject {
  data?: Record<string, string>;
}
interface Patch {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}
/** The response of a scripted webhook. */
type Says =
  | { readonly patch: readonly Patch[] }
  | { readonly denies: string; readonly code?: number }
  | { readonly rawPatch: unknown }
  | { readonly status: number }
  | 'allows';

/** A webhook whose response is a function of the object. */
export interface ScriptedHook {
  readonly kind: 'mutating' | 'validating';
  readonly configuration: string;
  readonly name: string;
  readonly says: (object: TracedObject, operation: string) => Says;
  readonly over?: Readonly<Record<string, unknown>>;
}

const labelsOf = ({ metadata }: TracedObject): Labels => metadata.labels ?? {};
const labelled = (object: TracedObject, key: string, value: string): Says => {
  const { labels } = object.metadata;
  if (labels === undefined)
    return { patch: [{ op: 'add', path: '/metadata/labels', value: { [key]: value } }] };
  return labels[key] === value
    ? 'allows'
    : { patch: [{ op: 'add', path: `/metadata/labels/${key}`, value }] };
};
const has = (key: string, value: string) => ({ objectSelector: { matchLabels: { [key]: value } } });
const rule = (over: Partial<RuleWithOperations>): RuleWithOperations => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE'],
  resources: ['configmaps'],
  ...over,
});
/** Of a custom resource that is served as v1 and v1beta1. */
export const group = 'trace.example.com';
const both = [rule({}), rule({ apiGroups: [group], apiVersions: ['*'], resources: ['widgets'] })];
const beta = [rule({ apiGroups: [group], apiVersions: ['v1beta1'], resources: ['widgets'] })];
const again = { reinvocationPolicy: 'IfNeeded' };
const mutating = (
  configuration: string,
  name: string,
  says: ScriptedHook['says'],
  over: object = {},
): ScriptedHook => ({ kind: 'mutating', configuration, name, says, over: { rules: both, ...over } });
const validating = (name: string, says: ScriptedHook['says'], over: object = {}): ScriptedHook => ({
  kind: 'validating',
  configuration: `${name}-check`,
  name,
  says,
  over: { rules: both, ...over },
});

const count = (object: TracedObject): Says => {
  const { annotations } = object.metadata;
  const value = String(Number(annotations?.count ?? 0) + 1);
  return annotations === undefined
    ? { patch: [{ op: 'add', path: '/metadata/annotations', value: { count: value } }] }
    : { patch: [{ op: 'add', path: '/metadata/annotations/count', value }] };
};

/** Mutating webhooks of a dozen configurations, in call order, and validating ones. */
const hooks: readonly ScriptedHook[] = [
  mutating('a-defaults', 'tier', (object) =>
    labelsOf(object).tier === undefined ? labelled(object, 'tier', 'web') : 'allows',
  ),
  mutating(
    'a-defaults',
    'seen',
    (object) => labelled(object, 'seen', labelsOf(object).team ?? 'none'),
    again,
  ),
  mutating('b-team', 'owner', (object) => labelled(object, 'owner', labelsOf(object).team ?? ''), {
    ...has('tier', 'web'),
    ...again,
    matchConditions: [
      { name: 'labelled', expression: 'has(object.metadata.labels)' },
      { name: 'team', expression: '"team" in object.metadata.labels' },
    ],
  }),
  mutating('c-broken', 'open', () => ({ status: 500 }), {
    ...has('broken', 'open'),
    failurePolicy: 'Ignore',
  }),
  mutating('c-broken', 'closed', () => ({ status: 500 }), has('broken', 'closed')),
  mutating('d-counter', 'counter', count, { ...has('count', 'yes'), ...again }),
  mutating('e-trigger', 'trigger', (object) => labelled(object, 'count', 'yes'), has('trigger', 'count')),
  mutating(
    'f-untrigger',
    'untrigger',
    (object) =>
      labelsOf(object).tier === undefined
        ? 'allows'
        : { patch: [{ op: 'remove', path: '/metadata/labels/tier' }] },
    has('trigger', 'remove'),
  ),
  mutating('g-patches', 'inapplicable', () => ({ patch: [{ op: 'remove', path: '/data/none' }] }), {
    ...has('bad', 'patch'),
    failurePolicy: 'Ignore',
  }),
  mutating('g-patches', 'undecodable', () => ({ rawPatch: { data: null } }), {
    ...has('bad', 'json'),
    failurePolicy: 'Ignore',
  }),
  mutating(
    'g-patches',
    'undecodable-closed',
    () => ({ rawPatch: { data: null } }),
    has('bad', 'json-closed'),
  ),
  mutating(
    'h-noop',
    'noop',
    () => ({ patch: [{ op: 'replace', path: '/metadata/labels/noop', value: 'yes' }] }),
    { ...has('noop', 'yes'), ...again },
  ),
  mutating('h-noop', 'empties', () => ({ patch: [{ op: 'add', path: '/metadata/finalizers', value: [] }] }), {
    ...has('noop', 'yes'),
    rules: [rule({})],
  }),
  mutating(
    'i-denies',
    'mutating-denier',
    () => ({ denies: 'not by me', code: 418 }),
    has('deny', 'mutating'),
  ),
  mutating(
    'j-versions',
    'equivalent',
    (object) => labelled(object, 'as', object.apiVersion.split('/')[1] ?? ''),
    {
      rules: beta,
      matchPolicy: 'Equivalent',
    },
  ),
  mutating('j-versions', 'exact', (object) => labelled(object, 'exact', 'yes'), {
    rules: beta,
    matchPolicy: 'Exact',
    ...again,
  }),
  mutating('k-late', 'late', (object) => labelled(object, 'late', labelsOf(object).tier ?? 'none'), again),
  mutating(
    'l-deletes',
    'deletes',
    () => ({ patch: [{ op: 'add', path: '/metadata/labels/x', value: 'y' }] }),
    {
      rules: both.map((one) => ({ ...one, operations: ['DELETE'] })),
      ...has('bad', 'delete'),
    },
  ),
  ...(['Fail', 'Ignore'] as const).map((failurePolicy) =>
    mutating(
      'm-conditions',
      `must-${failurePolicy.toLowerCase()}`,
      (object) => labelled(object, 'met', 'yes'),
      {
        ...has('condition', failurePolicy.toLowerCase()),
        failurePolicy,
        matchConditions: [{ name: 'must', expression: 'object.metadata.labels["must"] == "x"' }],
      },
    ),
  ),
  mutating('n-namespaces', 'of-team-a', (object) => labelled(object, 'place', 'a'), {
    namespaceSelector: { matchLabels: { team: 'a' } },
  }),
  mutating(
    'o-data',
    'data',
    ({ data, spec }) =>
      data === undefined && spec === undefined
        ? { patch: [{ op: 'add', path: '/data', value: { a: 'b' } }] }
        : { patch: [{ op: 'add', path: '/data/a', value: 'b' }] },
    { ...has('data', 'yes'), rules: [rule({})] },
  ),
  mutating(
    'p-shrinks',
    'shrinks',
    ({ metadata }) => ({
      patch: [
        ...Object.keys(metadata.labels ?? {})
          .filter((key) => key !== 'shrink')
          .toSorted()
          .map((key) => ({ op: 'remove', path: `/metadata/labels/${key}` })),
        { op: 'add', path: '/metadata/annotations', value: { shrunk: 'yes' } },
      ],
    }),
    { ...has('shrink', 'yes'), ...again },
  ),
  validating('denier', () => ({ denies: 'never', code: 403 }), has('deny', 'validating')),
  validating('second-denier', () => ({ denies: '' }), has('deny', 'validating')),
  validating('counts', ({ metadata }) =>
    metadata.annotations?.count === '2' ? { denies: 'twice' } : 'allows',
  ),
  validating('broken-open', () => ({ status: 503 }), {
    ...has('broken', 'open-late'),
    failurePolicy: 'Ignore',
  }),
  validating('broken-closed', () => ({ status: 503 }), has('broken', 'closed-late')),
  validating(
    'of-beta',
    ({ apiVersion }) => (apiVersion === `${group}/v1beta1` ? 'allows' : { denies: apiVersion }),
    {
      rules: beta,
      matchPolicy: 'Equivalent',
    },
  ),
  validating('of-tier', ({ metadata }) => ({ denies: `seen ${metadata.labels?.seen}` }), {
    objectSelector: { matchLabels: { late: 'db', noop: 'yes' } },
  }),
];

/** The configurations, each with its webhooks; `url` is that of their backends. */
export function configurations(url: string, caBundle: string): readonly KubeObject[] {
  const keys = [...new Set(hooks.map(({ kind, configuration }) => `${kind} ${configuration}`))];
  return keys.map((key) => {
    const [kind, name = ''] = key.split(' ');
    return {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: kind === 'mutating' ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: hooks
        .filter((hook) => `${hook.kind} ${hook.configuration}` === key)
        .map(({ name: webhook, over }) => ({
          name: `${webhook}.example.com`,
          clientConfig: { url: `${url}/${webhook}`, caBundle },
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 10,
          ...over,
        })),
    };
  });
}

/** The response body of a webhook's backend to a review, and its status. */
export function scripted(
  webhook: string,
  request: {
    readonly uid: string;
    readonly operation: string;
    readonly object?: unknown;
    readonly oldObject?: unknown;
  },
): { readonly status: number; readonly body: string } {
  const hook = hooks.find(({ name }) => name === webhook);
  const object = (request.object ?? request.oldObject) as TracedObject;
  const says = hook?.says(object, request.operation) ?? 'allows';
  const response = (over: object): string =>
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: true, ...over },
    });
  const patched = (patch: unknown): string =>
    response({ patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') });
  if (says === 'allows') return { status: 200, body: response({}) };
  if ('status' in says) return { status: says.status, body: 'down' };
  if ('denies' in says) {
    const { denies, code } = says;
    return {
      status: 200,
      body: response({ allowed: false, status: { message: denies, ...(code && { code }) } }),
    };
  }
  return { status: 200, body: patched('patch' in says ? says.patch : says.rawPatch) };
}

/** One request: the sent object, and the request that admission sees. */
export interface TracedRequest {
  readonly name: string;
  readonly request: AdmissionRequest & { readonly namespace: string; readonly name: string };
  readonly object?: TracedObject;
}

/** A small generator whose numbers are the same everywhere (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const values: Readonly<Record<string, readonly (string | undefined)[]>> = {
  tier: [undefined, 'web', 'db'],
  team: [undefined, 'a', 'b'],
  broken: [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'open',
    'open',
    'closed',
    'open-late',
    'closed-late',
  ],
  count: [undefined, 'yes'],
  trigger: [undefined, 'count', 'remove'],
  bad: [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    'patch',
    'json',
    'json-closed',
    'delete',
  ],
  noop: [undefined, 'yes'],
  deny: [undefined, undefined, undefined, undefined, undefined, 'mutating', 'validating'],
  condition: [undefined, undefined, undefined, 'fail', 'ignore'],
  must: [undefined, 'x', 'y'],
  data: [undefined, 'yes'],
  shrink: [undefined, undefined, undefined, 'yes'],
};

/** Namespaces of the objects; the first has the label team=a. */
export const namespaces = ['trace-a', 'trace-b'] as const;
const storedCount = 24;

type Draw = () => number;
const pick = <T>(draw: Draw, list: readonly T[]): T => list[Math.floor(draw() * list.length)] as T;

function objectOf(draw: Draw, apiVersion: string, name: string, namespace: string): TracedObject {
  // A few have no labels at all.
  const entries = Object.entries(values).flatMap(([key, list]) => {
    const value = pick(draw, list);
    return value === undefined ? [] : [[key, value] as const];
  });
  const labels = draw() < 0.1 ? {} : Object.fromEntries(entries);
  const metadata = { name, namespace, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
  const isMap = apiVersion === 'v1';
  return {
    apiVersion,
    kind: isMap ? 'ConfigMap' : 'Widget',
    metadata,
    ...(isMap ? (draw() < 0.5 ? { data: { size: '1' } } : {}) : { spec: { size: 1 } }),
  };
}

/** Objects that exist before the webhooks are registered, for updates and deletions. */
export const stored: readonly TracedObject[] = Array.from({ length: storedCount }, (_, index) => {
  const draw = numbers(7_000 + index);
  return objectOf(draw, index % 4 === 3 ? `${group}/v1` : 'v1', `stored-${index}`, pick(draw, namespaces));
});

function requestOf(index: number): TracedRequest {
  const draw = numbers(index);
  const operation = pick(draw, [
    'CREATE',
    'CREATE',
    'CREATE',
    'CREATE',
    'UPDATE',
    'UPDATE',
    'DELETE',
  ] as const);
  const old = pick(draw, stored);
  const created = pick(draw, ['v1', 'v1', 'v1', `${group}/v1`, `${group}/v1beta1`]);
  const isWidget = operation === 'CREATE' ? created !== 'v1' : old.kind === 'Widget';
  // A stored widget is read in either version.
  const version =
    operation === 'CREATE' ? created : isWidget ? pick(draw, [`${group}/v1`, `${group}/v1beta1`]) : 'v1';
  const namespace = operation === 'CREATE' ? pick(draw, namespaces) : (old.metadata.namespace ?? '');
  const name = operation === 'CREATE' ? `new-${index}` : (old.metadata.name ?? '');
  const object = operation === 'DELETE' ? undefined : objectOf(draw, version, name, namespace);
  const before = operation === 'CREATE' ? undefined : { ...old, apiVersion: version };
  const [ofVersion = '', ofGroup = ''] = version.split('/').reverse();
  return {
    name: `${index}: ${operation} ${version} ${namespace}/${name} ${JSON.stringify(object?.metadata.labels ?? before?.metadata.labels ?? {})}`,
    request: {
      operation,
      group: ofGroup,
      version: ofVersion,
      resource: isWidget ? 'widgets' : 'configmaps',
      kind: isWidget ? 'Widget' : 'ConfigMap',
      namespace,
      name,
      dryRun: true,
      user: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
      ...(object === undefined ? {} : { object, labels: object.metadata.labels ?? {} }),
      ...(before === undefined ? {} : { oldObject: before, oldLabels: before.metadata.labels ?? {} }),
    },
    ...(object === undefined ? {} : { object }),
  };
}

export const requests: readonly TracedRequest[] = Array.from({ length: 400 }, (_, index) => requestOf(index));

export const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: ['v1', 'v1beta1'].map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })),
  },
};
