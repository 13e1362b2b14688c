import type { OpenProber } from '../collect/cluster.ts';
import { noteOf } from '../facts/change-record.ts';
import type { ClusterIdentity, Journal, JournalEntry } from './journal.ts';
import { objectKey } from './plan.ts';
import type { PreparedPlan } from './prepare.ts';
import { type ChangeRequest, withdrawal } from './requests.ts';
import { type ClusterAccess, type RequestProblem, readAgain, sendInOrder } from './send.ts';
import { stepStateOf } from './step-state.ts';

/** The tools to apply a change. */
export interface ChangeTools extends ClusterAccess {
  /** Connects to Pods, to find out whether they respond. */
  readonly prober: OpenProber;
  readonly journal: Journal;
  readonly cluster: ClusterIdentity;
  readonly now: () => Date;
  /** The command that undoes a change in this cluster, for users to copy. */
  readonly undoCommand: (id: string) => string;
}

/**
 * Writes the journal, sends the requests one after the other, and stops at the first that fails. The entry
 * has the outcome: `applied`, `refused` (nothing was changed) or `unknown`. If only a part was applied, it is
 * `applied` with the reason in `why`.
 */
export async function apply(tools: ChangeTools, change: PreparedPlan): Promise<JournalEntry> {
  const { plan, steps, id, at, until, requests } = change;
  const intended: JournalEntry = {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'JournalEntry',
    id,
    cluster: tools.cluster,
    remedy: plan.remedy,
    summary: plan.summary,
    at,
    ...(until === undefined ? {} : { until }),
    ...noteOf(change.note),
    state: 'intended',
    steps,
    recordedIn: requests.filter(({ records }) => records).map(({ object }) => objectKey(object)),
  };
  await tools.journal.write(intended);
  const { made, problem } = await sendInOrder(tools, requests, intended);
  const done = requests.slice(0, made);
  const changing = ({ steps: own }: ChangeRequest): boolean => own.length > 0;
  const outcome = stateAfter(done.filter(changing).length, requests.filter(changing).length, problem);
  const entry = { ...intended, ...outcome };
  if (entry.state === 'refused') {
    // If the record remains, undo removes it.
    for (const request of done) await tools.writer.write(withdrawal(request, id)).catch(() => undefined);
  }
  // The entry on the disk is still "intended": the outcome can then be read from the cluster.
  await tools.journal.write(entry).catch(() => undefined);
  return entry;
}

/**
 * Removes the record of a status change that its controller has processed: it cannot be undone, and the
 * record is in another object.
 */
export async function dropAppliedRecord(
  { reader, writer }: ClusterAccess,
  { id, requests }: PreparedPlan,
): Promise<void> {
  for (const request of requests) {
    if (request.ahead === undefined || !request.path.endsWith('/status')) continue;
    const live = await readAgain(reader, request);
    if (live === 'unread' || request.steps.some((step) => stepStateOf(step, live, id) === 'made')) continue;
    // If the record remains, `changes` lists it, and undo removes it.
    await writer.write(withdrawal(request.ahead, id)).catch(() => undefined);
  }
}

function stateAfter(
  made: number,
  all: number,
  problem: RequestProblem | undefined,
): Pick<JournalEntry, 'state' | 'why'> {
  if (problem === undefined) return { state: 'applied' };
  if ('unknown' in problem) return { state: 'unknown', why: problem.unknown };
  if (made === 0) return { state: 'refused', why: problem.refused };
  return { state: 'applied', why: `only ${made} of ${all} objects were changed: ${problem.refused}` };
}
