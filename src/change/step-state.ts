import { isDeepStrictEqual } from 'node:util';
import { recordKey } from '../facts/change-record.ts';
import { valueAt } from './document-value.ts';
import { type KubeObject, objectKey, type Step } from './plan.ts';
import { pathNow } from './prepare.ts';

/**
 * The state of a step in the cluster. `made`: it has the new value. `not-made`: it has the previous value.
 * `changed-since`: it has another value, or the object was replaced. `gone`: the object, or its webhook, was
 * deleted.
 */
export type StepState = 'made' | 'not-made' | 'changed-since' | 'gone';

/** True if the object has the record of this change: it was applied, and not undone. */
export const carriesRecord = (live: KubeObject | undefined, id: string): boolean =>
  live?.metadata.annotations?.[recordKey(id)] !== undefined;

/** The current value of the field that the step changes. */
export function valueNow(step: Step, live: KubeObject): unknown {
  return valueAt(live, pathNow(step.object, step.path ?? '', live));
}

/** Compares one step with the current object. */
export function stepStateOf(step: Step, live: KubeObject | undefined, id: string): StepState {
  const { operation, uid } = step;
  if (operation === 'create') {
    if (live === undefined) return 'not-made';
    return carriesRecord(live, id) ? 'made' : 'changed-since';
  }
  if (operation === 'delete') {
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return 'made';
    return live.metadata.uid === uid ? 'not-made' : 'changed-since';
  }
  if (live === undefined) return 'gone';
  if (uid !== undefined && live.metadata.uid !== uid) return 'changed-since';
  return stateOfField(step, live);
}

function stateOfField(step: Step, live: KubeObject): StepState {
  try {
    const now = valueNow(step, live);
    if (isDeepStrictEqual(now, step.after)) return 'made';
    // A status change triggers its controller, which then overwrites it: there is nothing to undo.
    if (step.subresource === 'status') return 'not-made';
    return isDeepStrictEqual(now, step.before) ? 'not-made' : 'changed-since';
  } catch {
    return 'gone'; // The configuration has no such webhook any more.
  }
}

/**
 * True if a request without a response was applied. If the object carries a record, the record shows it;
 * otherwise the value does.
 */
export function arrived(
  { id, recordedIn }: { readonly id: string; readonly recordedIn: readonly string[] },
  steps: readonly Step[],
  live: KubeObject | undefined,
): boolean {
  const [first] = steps;
  if (first === undefined) return false;
  if (recordedIn.includes(objectKey(first.object))) return carriesRecord(live, id);
  return steps.every((step) => stepStateOf(step, live, id) === 'made');
}
