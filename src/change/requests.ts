import { defined } from '../basics/collections.ts';
import { pointerTo } from '../basics/json-pointer.ts';
import { type ChangeRecord, type RecordedStep, recordKey, recordText } from '../facts/change-record.ts';
import type { ObjectRef } from '../facts/object-ref.ts';
import { pathOf } from '../facts/resource.ts';
import type { WriteRequest } from './cluster-writer.ts';
import { changeableResource, objectPath, recordingKinds } from './kinds.ts';
import { type KubeObject, objectKey, type Step, withoutServerFields } from './plan.ts';
import { recordCarrierFor } from './record-carrier.ts';

/** All steps on one object in one request: all of them are applied, or none. */
export interface ChangeRequest extends WriteRequest {
  readonly object: ObjectRef;
  readonly steps: readonly Step[];
  /** The request also writes the record of the change into the object. */
  readonly records: boolean;
  /** The API server may reject it until the previous requests have taken effect. */
  readonly afterPrevious: boolean;
  /** An alternative request with the same result, if the first is rejected. */
  readonly instead?: ChangeRequest;
  /** Writes the record to another object before this request; omitted if that is rejected. */
  readonly ahead?: ChangeRequest;
}

/** The records to add to objects, and those to remove. */
export interface Marking {
  /** Written to every object of the change. */
  readonly mark?: Omit<ChangeRecord, 'steps' | 'also'>;
  /** Ids of changes whose records are removed. */
  readonly unmark?: readonly string[];
  /** Objects from which only a record is removed. */
  readonly alsoUnmark?: readonly ObjectRef[];
}

/** One operation of a JSON Patch (RFC 6902). */
export type PatchStep = {
  readonly op: 'test' | 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
};

/**
 * Maximum bytes of all annotations of one object: the API server allows 256 KiB
 * (apimachinery/pkg/api/validation/objectmeta.go).
 */
const mostAnnotated = 200 * 1024;

const jsonPatch = 'application/json-patch+json';

const fieldOperations = ({ path = '', before, after, afterPrevious: inTurn }: Step): readonly PatchStep[] => [
  // The API server's JSON Patch treats an absent value as null.
  ...(before === undefined && inTurn !== true ? [] : [{ op: 'test' as const, path, value: before ?? null }]),
  ...(after === undefined
    ? [{ op: 'remove' as const, path }]
    : [{ op: before === undefined ? ('add' as const) : ('replace' as const), path, value: after }]),
];

const test = (path: string, value: unknown): readonly PatchStep[] =>
  value === undefined ? [] : [{ op: 'test', path, value }];

/**
 * The spec must not have changed since it was read. The generation shows that. The resourceVersion also
 * changes with the status of a rollout, so it is used only for objects without generation and status.
 */
const versionGuard = ({ metadata, status }: KubeObject): readonly PatchStep[] => {
  const { generation, resourceVersion } = metadata;
  if (generation !== undefined) return test('/metadata/generation', generation);
  return status === undefined ? test('/metadata/resourceVersion', resourceVersion) : [];
};

/** The object must not have been replaced since it was read. */
const uidGuard = ({ metadata }: KubeObject): readonly PatchStep[] => test('/metadata/uid', metadata.uid);

/** A path into `webhooks` must select the intended webhook. */
const nameTests = (steps: readonly Step[]): readonly PatchStep[] =>
  steps.flatMap(({ object: { webhook }, path = '' }) => {
    const place = /^\/webhooks\/\d+/.exec(path)?.[0];
    if (webhook === undefined || place === undefined) return [];
    return [{ op: 'test' as const, path: `${place}/name`, value: webhook }];
  });

const recorded = ({ operation, path, object, before, after }: Step): RecordedStep => ({
  op: operation,
  ...defined({ path, webhook: object.webhook, before }),
  // A created object is its own record.
  ...(after === undefined || operation === 'create' ? {} : { after }),
});

const recordedElsewhere = (step: Step): RecordedStep => ({
  ...recorded(step),
  object: step.object,
  ...defined({ uid: step.uid, subresource: step.subresource }),
  ...(step.operation === 'delete' ? { before: withoutServerFields(step.before as KubeObject) } : {}),
});

type Objects = ReadonlyMap<string, KubeObject>;

/** All steps of a change, the objects as they were read, and the record to write. */
interface ChangeParts {
  readonly steps: readonly Step[];
  readonly objects: Objects;
  readonly marking: Marking;
}

/** The record that one object of the change carries; `own` are the steps on that object. */
function recordOf(
  mark: NonNullable<Marking['mark']>,
  own: readonly Step[],
  all: readonly Step[],
  written = recorded,
): string {
  const keys = own.map(({ object }) => objectKey(object));
  const also = [...new Set(all.map(({ object }) => objectKey(object)))].filter((key) => !keys.includes(key));
  return recordText({ ...mark, steps: own.map(written), ...(also.length === 0 ? {} : { also }) });
}

const annotation = (id: string): string => pointerTo(['metadata', 'annotations', recordKey(id)]);

/** The operations that add the record of this change to an object, and remove records of other changes. */
function markOperations(
  live: KubeObject,
  own: readonly Step[],
  { steps, marking: { mark, unmark = [] } }: Pick<ChangeParts, 'steps' | 'marking'>,
  written = recorded,
): readonly PatchStep[] {
  const annotations = live.metadata.annotations;
  const gone = unmark
    .filter((id) => annotations?.[recordKey(id)] !== undefined)
    .map((id) => ({ op: 'remove' as const, path: annotation(id) }));
  if (mark === undefined) return gone;
  const value = recordOf(mark, own, steps, written);
  const held = Object.entries(annotations ?? {}).reduce((sum, pair) => sum + pair.join('').length, 0);
  if (Buffer.byteLength(value) + held > mostAnnotated) return gone;
  return annotations === undefined
    ? [
        // Another client may have added the first annotation in the meantime.
        ...test('/metadata/annotations', null),
        { op: 'add', path: '/metadata/annotations', value: { [recordKey(mark.id)]: value } },
      ]
    : [...gone, { op: 'add', path: annotation(mark.id), value }];
}

/** Writes the record to the other object that carries it; nothing if that was not read, or has no room. */
function recordRequest(
  step: Step,
  { steps, objects, marking: { mark } }: ChangeParts,
): Pick<ChangeRequest, 'ahead'> {
  const object = recordCarrierFor(step);
  const live = object && objects.get(objectKey(object));
  if (object === undefined || live === undefined || mark === undefined) return {};
  const own = steps.filter((other) => {
    const place = recordCarrierFor(other);
    return place !== undefined && objectKey(place) === objectKey(object);
  });
  const marks = markOperations(live, own, { steps, marking: { mark } }, recordedElsewhere);
  if (marks.length === 0) return {};
  const body = [...uidGuard(live), ...marks];
  return { ahead: { ...patchOf(object), steps: [], body, records: true, afterPrevious: false } };
}

const patchOf = (object: ObjectRef): Pick<ChangeRequest, 'object' | 'method' | 'path' | 'contentType'> => ({
  object,
  method: 'PATCH',
  path: objectPath(object),
  contentType: jsonPatch,
});

/** Removes a record that was written before a request that was then rejected. */
export const withdrawal = ({ object }: ChangeRequest, id: string): WriteRequest => ({
  ...patchOf(object),
  body: [{ op: 'remove', path: annotation(id) }],
});

/** Builds the one request for all steps on an existing object. */
function patch(live: KubeObject, own: readonly [Step, ...Step[]], change: ChangeParts): ChangeRequest {
  const [only, ...others] = own;
  const { object } = only;
  const path = objectPath(object);
  const status = own.every(({ subresource }) => subresource === 'status');
  const elsewhere =
    status || (recordCarrierFor(only) !== undefined && !recordingKinds.includes(object.kind))
      ? recordRequest(only, change)
      : {};
  const marks = status || elsewhere.ahead !== undefined ? [] : markOperations(live, own, change);
  const inTurn = own.every((step) => step.afterPrevious === true);
  // Controllers may write the object before this request is sent: then the values are the only preconditions.
  const guards = [...uidGuard(live), ...(inTurn ? [] : versionGuard(live))];
  const body = [...guards, ...nameTests(own), ...own.flatMap(fieldOperations), ...marks];
  const request: ChangeRequest = {
    object,
    steps: own,
    method: 'PATCH',
    path: status ? `${path}/status` : path,
    contentType: jsonPatch,
    body,
    records: marks.some(({ op }) => op === 'add'),
    afterPrevious: inTurn,
    ...elsewhere,
  };
  if (others.length > 0 || only.operation !== 'scale') return request;
  const scaling = scalePatch(only, live);
  return { ...request, instead: { ...scaling, ...recordRequest(only, change) } };
}

/** A Scale with zero replicas has no `replicas` field (autoscaling/v1, omitempty). */
const replicasOperations = (step: Step): readonly PatchStep[] =>
  step.before !== 0
    ? fieldOperations(step)
    : [
        { op: 'test', path: '/spec/replicas', value: null },
        { op: 'add', path: '/spec/replicas', value: step.after },
      ];

/**
 * Used if webhooks or missing permissions block writes of the workload: they may not block its scale subresource,
 * which has no generation.
 */
const scalePatch = (step: Step, live: KubeObject): ChangeRequest => ({
  object: step.object,
  steps: [step],
  method: 'PATCH',
  path: `${objectPath(step.object)}/scale`,
  contentType: jsonPatch,
  body: [...uidGuard(live), ...replicasOperations(step)],
  records: false,
  afterPrevious: false,
});

const creation = (step: Step, all: readonly Step[], { mark }: Marking): ChangeRequest => {
  const { object, after } = step;
  const created = after as KubeObject;
  const annotations =
    mark === undefined
      ? created.metadata.annotations
      : { ...created.metadata.annotations, [recordKey(mark.id)]: recordOf(mark, [step], all) };
  return {
    object,
    steps: [step],
    method: 'POST',
    path: pathOf(changeableResource(object.kind), object.namespace),
    body: {
      ...created,
      metadata: { ...created.metadata, ...(annotations === undefined ? {} : { annotations }) },
    },
    records: mark !== undefined,
    // An object that is created after another may depend on it.
    afterPrevious: true,
  };
};

const deletion = (step: Step): ChangeRequest => ({
  object: step.object,
  steps: [step],
  method: 'DELETE',
  path: objectPath(step.object),
  body: {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions: { uid: step.uid, resourceVersion: step.resourceVersion },
  },
  records: false,
  afterPrevious: false,
});

const objectGroup = ({ object, operation, subresource }: Step): string =>
  `${objectKey(object)} ${operation === 'create' || operation === 'delete' ? operation : (subresource ?? '')}`;

/**
 * Builds the requests for the steps, in their order, one per object. Each has preconditions from the read
 * objects: uid, generation and the previous values.
 */
export function requestsFor(
  steps: readonly Step[],
  objects: Objects,
  marking: Marking,
): readonly ChangeRequest[] {
  const change: ChangeParts = { steps, objects, marking };
  const groups = [...new Set(steps.map(objectGroup))].map((group) =>
    steps.filter((step) => objectGroup(step) === group),
  );
  const requests = groups.flatMap((own): readonly ChangeRequest[] => {
    const [first, ...others] = own;
    if (first === undefined) return [];
    if (first.operation === 'create') return [creation(first, steps, marking)];
    if (first.operation === 'delete') return [{ ...deletion(first), ...recordRequest(first, change) }];
    const live = objects.get(objectKey(first.object));
    return live === undefined ? [] : [patch(live, [first, ...others], change)];
  });
  const touched = new Set(
    requests
      .filter(({ path, method }) => method !== 'POST' && !path.endsWith('/status'))
      .map(({ object }) => objectKey(object)),
  );
  const unmarked = (marking.alsoUnmark ?? []).filter((object) => !touched.has(objectKey(object)));
  return [...requests, ...unmarked.flatMap((object) => unmarking(object, change))];
}

function unmarking(object: ObjectRef, change: ChangeParts): readonly ChangeRequest[] {
  const live = change.objects.get(objectKey(object));
  if (live === undefined) return [];
  const marks = markOperations(live, [], change);
  if (marks.length === 0) return [];
  return [
    {
      ...patchOf(object),
      steps: [],
      body: [...uidGuard(live), ...marks],
      records: false,
      afterPrevious: false,
    },
  ];
}
