import { defined } from '../basics/collections.ts';
import type { ClusterReader } from '../collect/cluster.ts';
import { noteOf } from '../facts/change-record.ts';
import { type ObjectRef, refText } from '../facts/object-ref.ts';
import type { ChangeTools } from './apply.ts';
import { ChangeRefused } from './change-refused.ts';
import type { JournalEntry } from './journal.ts';
import { type Edit, type KubeObject, objectKey, type Plan, type Step, withoutServerFields } from './plan.ts';
import { type PreparedPlan, pathNow, prepare, readObjects, valueText } from './prepare.ts';
import { readable } from './readable-value.ts';
import type { RecordedChange } from './recorded-changes.ts';
import { requestsFor } from './requests.ts';
import { type RequestProblem, sendInOrder } from './send.ts';
import { arrived, carriesRecord, stepStateOf, valueNow } from './step-state.ts';
import { fieldWriterAt } from './writer-of.ts';

/** The current state of a recorded change, and how to undo it. */
export interface UndoState {
  readonly change: RecordedChange;
  /** False: none of its requests was applied, or all of it was already undone. */
  readonly isInPlace: boolean;
  /** Steps whose value was changed again since: sentences. */
  readonly changedSince: readonly string[];
  /** Steps that cannot be undone, because their object no longer exists: sentences. */
  readonly notUndoable: readonly string[];
  /** Field managers that have reverted a value since. */
  readonly revertedBy: readonly string[];
  readonly plan: Plan;
  /** Objects that still carry the record. */
  readonly carriers: readonly ObjectRef[];
  readonly objects: ReadonlyMap<string, KubeObject>;
}

/** Returns the edit that restores the previous value, if the current value is `expected`. */
function reverse(step: Step, expected: unknown): Edit {
  const { object, operation, path, subresource, before } = step;
  switch (operation) {
    case 'create':
      return { object, operation: 'delete' };
    case 'delete':
      return { object, operation: 'create', after: withoutServerFields(before as KubeObject) };
    default:
      return {
        object,
        operation: operation === 'restart' ? 'patch' : operation,
        ...defined({ path, subresource }),
        expected,
        after: before,
      };
  }
}

/** Says that another manager has changed the value that a step set. */
function changedSinceText(
  { object, path, before, after }: RecordedChange['steps'][number],
  now: unknown,
): string {
  const text = (value: unknown) => valueText(readable(path?.split('/').at(-1), value));
  return `${refText(object)}: ${path} is ${text(now)}; the change set it to ${text(after)}, the previous value is ${text(before)}`;
}

/** Compares a recorded change with the cluster. Reads only. */
export async function presentState(reader: ClusterReader, change: RecordedChange): Promise<UndoState> {
  const touched = [...change.steps.map(({ object }) => object), ...(change.recordCarriers ?? [])];
  const objects = await readObjects(touched, (path) => reader.get<KubeObject>(path));
  const [edits, changedSince, beyond]: [Edit[], string[], string[]] = [[], [], []];
  const backBy = new Set<string>();
  for (const step of change.steps.toReversed()) {
    const { object, operation } = step;
    const live = objects.get(objectKey(object));
    if (!isOurs(change, step, live)) continue;
    switch (stepStateOf(step, live, change.id)) {
      case 'made':
        edits.push(reverse(step, step.after));
        break;
      case 'not-made': {
        const writer = whoReverted(change, step, live);
        if (writer !== undefined) backBy.add(writer);
        break;
      }
      case 'gone':
        beyond.push(`${refText(object)} was deleted`);
        break;
      case 'changed-since':
        if (operation === 'delete') beyond.push(`${refText(object)} exists again`);
        else if (operation === 'create') beyond.push(`${refText(object)} was recreated by someone else`);
        else if (live?.metadata.uid !== step.uid) beyond.push(`${refText(object)} was recreated since`);
        else {
          const now = valueNow(step, live as KubeObject);
          changedSince.push(changedSinceText(step, now));
          edits.push(reverse(step, now));
        }
    }
  }
  const carriers = [...new Map(touched.map((object) => [objectKey(object), object]))]
    .filter(([key]) => carriesRecord(objects.get(key), change.id))
    .map(([, ref]) => ref);
  const plan: Plan = {
    remedy: 'undo',
    summary: `Undoes ${change.id} (${change.remedy})`,
    edits,
    fixes: [],
    warnings: [],
  };
  return {
    change,
    isInPlace: edits.length + carriers.length > 0,
    changedSince,
    notUndoable: beyond,
    revertedBy: [...backBy],
    plan,
    carriers,
    objects,
  };
}

/** The field managers that restored a previous value. Unknown for a change that was partly applied. */
function whoReverted(
  { at, why }: RecordedChange,
  { object, path, subresource }: Step,
  live: KubeObject | undefined,
): string | undefined {
  if (why !== undefined || live === undefined || path === undefined || subresource !== undefined)
    return undefined;
  return fieldWriterAt(live.metadata, object, pathNow(object, path, live), at);
}

/** A request without a response that was not applied changed nothing, even if the value is the same. */
function isOurs({ id, state, entry }: RecordedChange, step: Step, live: KubeObject | undefined): boolean {
  if (entry === undefined || !['intended', 'unknown', 'refused'].includes(state)) return true;
  return arrived({ id, recordedIn: entry.recordedIn }, [step], live);
}

/** Prepares the undo like a change. Throws ChangeRefused for a step changed since, unless `overwrite`. */
export async function prepareUndo(
  tools: Pick<ChangeTools, 'reader' | 'now'>,
  undoing: UndoState,
  overwrite: boolean,
): Promise<PreparedPlan> {
  const { change, plan, changedSince, carriers, objects } = undoing;
  if (changedSince.length > 0 && !overwrite) {
    throw new ChangeRefused(`someone changed this since, so it is not restored: ${changedSince.join('; ')}`);
  }
  const now = tools.now();
  const prepared = await prepare(tools.reader, plan, now);
  const all = new Map([...objects, ...prepared.objects]);
  const marking = { unmark: [change.id], alsoUnmark: carriers };
  const requests = requestsFor(prepared.steps, all, marking);
  return {
    ...prepared,
    objects: all,
    id: change.id,
    at: now.toISOString(),
    note: noteOf(change),
    marking,
    requests,
  };
}

/** Creates the journal's entry for a change that only the cluster has recorded. */
function entryOf({ cluster }: Pick<ChangeTools, 'cluster'>, undoing: UndoState): JournalEntry {
  const { change, carriers } = undoing;
  const { id, remedy, at, until, steps } = change;
  return (
    change.entry ?? {
      apiVersion: 'kubectl-webhook/v1',
      kind: 'JournalEntry',
      id,
      cluster,
      remedy,
      summary: `${remedy}, from another machine`,
      at,
      ...(until === undefined ? {} : { until }),
      ...noteOf(change),
      state: 'applied',
      steps,
      recordedIn: carriers.map(objectKey),
    }
  );
}

/** Undoes a change as prepared. The entry has the outcome: `undone`, or the reason why not. */
export async function undo(
  tools: ChangeTools,
  undoing: UndoState,
  change: PreparedPlan,
): Promise<JournalEntry> {
  const { why: _, ...entry } = entryOf(tools, undoing);
  // The previous values are known: a full disk must not prevent the undo.
  await tools.journal.write({ ...entry, state: 'undoing' }).catch(() => undefined);
  const { made, problem } = await sendInOrder(tools, change.requests, { id: change.id, recordedIn: [] });
  const ended = endOf(entry, made, problem);
  await tools.journal.write(ended).catch(() => undefined);
  return ended;
}

function endOf(entry: JournalEntry, made: number, problem: RequestProblem | undefined): JournalEntry {
  if (problem === undefined) return { ...entry, state: 'undone' };
  if ('unknown' in problem) return { ...entry, state: 'undoing', why: problem.unknown };
  if (made === 0) return { ...entry, why: problem.refused };
  return { ...entry, state: 'undoing', why: `only ${made} objects were restored: ${problem.refused}` };
}

/** The result for a request without a response, according to the current objects. */
export const notCarriedOut = 'the API server has not carried out its request';

/** Closes an entry without effect: its request was not applied, or the change was reverted. */
export async function close(
  { journal }: Pick<ChangeTools, 'journal'>,
  { change }: UndoState,
): Promise<JournalEntry | undefined> {
  if (change.entry === undefined) return undefined;
  const { why, ...entry } = change.entry;
  const never = ['intended', 'unknown', 'refused'].includes(change.state);
  const closed: JournalEntry = never
    ? { ...entry, state: 'refused', why: (change.state === 'refused' && why) || notCarriedOut }
    : { ...entry, state: 'undone' };
  await journal.write(closed).catch(() => undefined);
  return closed;
}
