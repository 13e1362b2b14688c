import type { ClusterReader } from '../collect/cluster-reader.ts';
import { noteOf } from '../facts/change-record.ts';
import { defined } from '../facts/defined.ts';
import { type ObjectRef, refText } from '../facts/object-ref.ts';
import type { ChangeTools } from './apply.ts';
import { ChangeRefused } from './change-refused.ts';
import type { JournalEntry } from './journal.ts';
import { objectPath } from './kinds.ts';
import { type KubeObject, objectKey, withoutBookkeeping } from './kube-object.ts';
import type { Edit, Plan, Step } from './plan.ts';
import type { Ready } from './prepare.ts';
import { pathNow, prepare } from './prepare.ts';
import type { RecordedChange } from './recorded-changes.ts';
import { requestsFor } from './requests.ts';
import { type RequestProblem, sendInOrder } from './send.ts';
import { arrived, carriesRecord, standingOf, valueNow } from './standing.ts';
import { fieldWriterAt } from './writer-of.ts';

/** How a recorded change stands in the cluster now, and what would take it back. */
export interface Undoing {
  readonly change: RecordedChange;
  /** False: no request of it ever arrived, or all of it was taken back already. */
  readonly stands: boolean;
  /** Steps that somebody set to a third value since: sentences. */
  readonly changedSince: readonly string[];
  /** Steps that cannot be taken back, because there is nothing left to change: sentences. */
  readonly beyond: readonly string[];
  /** Field managers that have set a value back since. */
  readonly takenBackBy: readonly string[];
  /** The way back: the recorded values as a plan like any other. */
  readonly plan: Plan;
  /** Objects that still carry the record. */
  readonly carriers: readonly ObjectRef[];
  readonly objects: ReadonlyMap<string, KubeObject>;
}

/** The edit that restores what the step changed, where the value now is `expected`. */
function reverse(step: Step, expected: unknown): Edit {
  const { object, operation, path, subresource, before } = step;
  switch (operation) {
    case 'create':
      return { object, operation: 'delete' };
    case 'delete':
      return { object, operation: 'create', after: withoutBookkeeping(before as KubeObject) };
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

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));

/** Compares a recorded change with the cluster. Reads only. */
export async function presentState(reader: ClusterReader, change: RecordedChange): Promise<Undoing> {
  const touched = [...change.steps.map(({ object }) => object), ...(change.standIns ?? [])];
  const refs = new Map(touched.map((object) => [objectKey(object), object]));
  const read = await Promise.all(
    [...refs].map(async ([key, ref]) => [key, await reader.get<KubeObject>(objectPath(ref))] as const),
  );
  const objects = new Map(read.flatMap(([key, live]) => (live === undefined ? [] : [[key, live] as const])));
  const [edits, changedSince, beyond]: [Edit[], string[], string[]] = [[], [], []];
  const backBy = new Set<string>();
  for (const step of change.steps.toReversed()) {
    const { object, operation } = step;
    const live = objects.get(objectKey(object));
    if (!isOurs(change, step, live)) continue;
    switch (standingOf(step, live, change.id)) {
      case 'made':
        edits.push(reverse(step, step.after));
        break;
      case 'not-made': {
        const writer = whoReverted(change, step, live);
        if (writer !== undefined) backBy.add(writer);
        break;
      }
      case 'gone':
        beyond.push(`${refText(object)} is gone`);
        break;
      case 'changed-since':
        if (operation === 'delete') beyond.push(`${refText(object)} exists again`);
        else if (operation === 'create') beyond.push(`${refText(object)} was recreated by someone else`);
        else if (live?.metadata.uid !== step.uid) beyond.push(`${refText(object)} was recreated since`);
        else {
          const now = valueNow(step, live as KubeObject);
          changedSince.push(
            `${refText(object)}: ${step.path} is ${shown(now)}; the change set it to ${shown(step.after)}, the previous value is ${shown(step.before)}`,
          );
          edits.push(reverse(step, now));
        }
    }
  }
  const carriers = [...refs]
    .filter(([key]) => carriesRecord(objects.get(key), change.id))
    .map(([, ref]) => ref);
  const plan: Plan = {
    remedy: 'undo',
    summary: `Undoes ${change.id} (${change.remedy})`,
    edits,
    mends: [],
    warnings: [],
  };
  return {
    change,
    stands: edits.length + carriers.length > 0,
    changedSince,
    beyond,
    takenBackBy: [...backBy],
    plan,
    carriers,
    objects,
  };
}

/** Who wrote the value from before again. Of a change that was made in part nobody can tell. */
function whoReverted(
  { at, why }: RecordedChange,
  { object, path, subresource }: Step,
  live: KubeObject | undefined,
): string | undefined {
  if (why !== undefined || live === undefined || path === undefined || subresource !== undefined)
    return undefined;
  return fieldWriterAt(live.metadata, object, pathNow(object, path, live), at);
}

/** A request without an answer that never arrived changed nothing, even if the value now happens to be the same. */
function isOurs({ id, state, entry }: RecordedChange, step: Step, live: KubeObject | undefined): boolean {
  if (entry === undefined || !['intended', 'unknown', 'refused'].includes(state)) return true;
  return arrived({ id, recordedIn: entry.recordedIn }, [step], live);
}

/**
 * The way back, prepared like any change. With a step that somebody changed since it throws ChangeRefused, unless
 * `overwrite`.
 */
export async function prepareUndo(
  tools: Pick<ChangeTools, 'reader' | 'now'>,
  undoing: Undoing,
  overwrite: boolean,
): Promise<Ready> {
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

/** The journal's entry of a change that only the cluster remembered. */
function entryOf({ cluster }: Pick<ChangeTools, 'cluster'>, undoing: Undoing): JournalEntry {
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

/** Takes a change back as prepared. The entry says what stands then: `undone`, or why not. */
export async function undo(tools: ChangeTools, undoing: Undoing, change: Ready): Promise<JournalEntry> {
  const { why: _, ...entry } = entryOf(tools, undoing);
  // The way back is known: a disk that is full by now keeps nobody from going it.
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

/** What the objects say of a request whose answer never came, as they are now. */
export const notCarriedOut = 'the API server has not carried out its request';

/** Closes an entry of which nothing stands: its request never arrived, or somebody took it back. */
export async function close(
  { journal }: Pick<ChangeTools, 'journal'>,
  { change }: Undoing,
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
