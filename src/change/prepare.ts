import { isDeepStrictEqual } from 'node:util';
import { defined } from '../basics/collections.ts';
import { pointerTo } from '../basics/json-pointer.ts';
import { rfc3339 } from '../basics/time.ts';
import { type ClusterReader, ReadError } from '../collect/cluster.ts';
import type { ChangeNote } from '../facts/change-record.ts';
import { type ObjectRef, refText } from '../facts/object-ref.ts';
import { ChangeRefused } from './change-refused.ts';
import { placed, valueAt } from './document-value.ts';
import { changeId } from './journal.ts';
import { objectPath } from './kinds.ts';
import { type Edit, type KubeObject, objectKey, type Plan, type Step } from './plan.ts';
import { recordCarrierFor } from './record-carrier.ts';
import { type ChangeRequest, type Marking, requestsFor } from './requests.ts';

/** A plan that was compared with the current objects. */
export interface ComparedPlan {
  readonly plan: Plan;
  /** The actual changes: an edit whose value is already present has no step. */
  readonly steps: readonly Step[];
  /**
   * The objects as they were read, by `objectKey`, and those that may carry records for them; without objects
   * that will be created.
   */
  readonly objects: ReadonlyMap<string, KubeObject>;
}

/** `/spec/template/metadata/annotations/…`: the annotation that `kubectl rollout restart` writes. */
const restartedAt = pointerTo([
  'spec',
  'template',
  'metadata',
  'annotations',
  'kubectl.kubernetes.io/restartedAt',
]);

/** A value as JSON, for messages. */
export const valueText = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));

const namedWebhook = /^\/webhooks\/(\d+)(?=\/|$)/;

/** Replaces the index in the path with the webhook's current one: generated ones can be reordered. */
export function pathNow(object: ObjectRef, path: string, live: KubeObject): string {
  if (object.webhook === undefined || !namedWebhook.test(path)) return path;
  const webhooks = (live.webhooks ?? []) as readonly { readonly name?: string }[];
  const index = webhooks.findIndex(({ name }) => name === object.webhook);
  if (index < 0) throw new ChangeRefused(`${objectKey(object)} no longer has a webhook ${object.webhook}`);
  return path.replace(namedWebhook, `/webhooks/${index}`);
}

function fieldStep(edit: Edit, live: KubeObject, now: Date): Step | undefined {
  const { object, operation, subresource, afterPrevious: inTurn } = edit;
  const wanted = operation === 'restart' ? rfc3339(now) : edit.after;
  const usual = operation === 'restart' ? restartedAt : undefined;
  const requested = operation === 'scale' ? '/spec/replicas' : (edit.path ?? usual);
  if (requested === undefined) throw new ChangeRefused(`the change of ${refText(object)} names no field`);
  const path = pathNow(object, requested, live);
  const present = valueAt(live, path);
  if ('expected' in edit && !isDeepStrictEqual(present, edit.expected)) {
    throw new ChangeRefused(
      `${refText(object)} has changed since it was read: ${path} is ${valueText(present)}, no longer ${valueText(edit.expected)}`,
    );
  }
  if (isDeepStrictEqual(present, wanted)) return undefined;
  const place = placed(live, path, wanted);
  return {
    object,
    operation,
    path: place.path,
    ...(subresource === undefined ? {} : { subresource }),
    before: valueAt(live, place.path),
    after: place.value,
    ...(inTurn === undefined ? {} : { afterPrevious: inTurn }),
    ...guardOf(live),
  };
}

const guardOf = ({
  metadata: { resourceVersion, uid },
}: KubeObject): Pick<Step, 'resourceVersion' | 'uid'> => ({
  ...defined({ resourceVersion, uid }),
});

function stepOf(edit: Edit, live: KubeObject | undefined, now: Date): Step | undefined {
  const { object, operation } = edit;
  if (operation === 'create') {
    if (live !== undefined) throw new ChangeRefused(`${refText(object)} exists already`);
    return { object, operation, before: undefined, after: edit.after };
  }
  if (live === undefined) throw new ChangeRefused(`${refText(object)} does not exist, or no longer exists`);
  if (operation === 'delete') {
    return { object, operation, before: live, after: undefined, ...guardOf(live) };
  }
  return fieldStep(edit, live, now);
}

/**
 * Reads every object of the plan again and converts its edits to steps with the current values. Throws
 * ChangeRefused if the plan does not match the objects, ReadError if they cannot be read.
 */
export async function prepare(reader: ClusterReader, plan: Plan, now: Date): Promise<ComparedPlan> {
  const own = plan.edits.map(({ object }) => object);
  const carriers = plan.edits.flatMap((edit) => recordCarrierFor(edit) ?? []);
  // A carrier that cannot be read carries no record; the change then has no record in the cluster.
  const objects = new Map([
    ...(await readObjects(carriers, (path) => readIfPossible(reader, path))),
    ...(await readObjects(own, (path) => reader.get<KubeObject>(path))),
  ]);
  const steps = plan.edits.flatMap((edit) => stepOf(edit, objects.get(objectKey(edit.object)), now) ?? []);
  const same = steps.find((one, at) => steps.slice(0, at).some((other) => isSamePlace(one, other)));
  if (same !== undefined)
    throw new ChangeRefused(
      `two edits of ${refText(same.object)} write ${same.path}: the second would overwrite the first`,
    );
  return { plan, steps, objects };
}

/** Whether two steps add one field: edits of different fields do, if both lack the same parent. */
const isSamePlace = (one: Step, other: Step): boolean =>
  one.operation === 'patch' &&
  other.operation === 'patch' &&
  one.path === other.path &&
  one.before === undefined &&
  objectKey(one.object) === objectKey(other.object);

/** An object of the cluster; undefined if it does not exist, or cannot be read. */
export const readIfPossible = <T = KubeObject>(reader: ClusterReader, path: string): Promise<T | undefined> =>
  reader.get<T>(path).catch((error: unknown) => {
    if (error instanceof ReadError) return undefined;
    throw error;
  });

/** The objects that exist, by `objectKey`, each read once. */
export async function readObjects(
  refs: readonly ObjectRef[],
  read: (path: string) => Promise<KubeObject | undefined>,
): Promise<ReadonlyMap<string, KubeObject>> {
  const byKey = new Map(refs.map((ref) => [objectKey(ref), ref]));
  const found = await Promise.all(
    [...byKey].map(async ([key, ref]) => [key, await read(objectPath(ref))] as const),
  );
  return new Map(found.flatMap(([key, object]) => (object === undefined ? [] : [[key, object] as const])));
}

/** A prepared plan with the exact requests. */
export interface PreparedPlan extends ComparedPlan {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly until?: string;
  readonly note: ChangeNote;
  readonly marking: Marking;
  readonly requests: readonly ChangeRequest[];
}

/** Assigns the change its id and derives its requests. `until`: the planned time of the undo. */
export function prepareRequests(
  prepared: ComparedPlan,
  now: Date,
  {
    until,
    id = changeId(now),
    note,
  }: {
    readonly until: Date | undefined;
    readonly id: string | undefined;
    readonly note: ChangeNote;
  },
): PreparedPlan {
  const at = now.toISOString();
  const deadline = until === undefined ? {} : { until: until.toISOString() };
  const mark = { id, remedy: prepared.plan.remedy, at, ...deadline, ...note };
  const marking = { mark };
  const requests = requestsFor(prepared.steps, prepared.objects, marking);
  return { ...prepared, id, at, ...deadline, note, marking, requests };
}
