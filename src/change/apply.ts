import { noteOf } from '../facts/change-record.ts';
import type { ClusterIdentity, Journal, JournalEntry } from './journal.ts';
import { objectKey } from './kube-object.ts';
import type { Ready } from './prepare.ts';
import { type ChangeRequest, withdrawal } from './requests.ts';
import { type ClusterAccess, type RequestProblem, readAgain, sendInOrder } from './send.ts';
import { standingOf } from './standing.ts';

/** What carrying out a change needs. */
export interface ChangeTools extends ClusterAccess {
  readonly journal: Journal;
  readonly cluster: ClusterIdentity;
  readonly now: () => Date;
  /** The command that takes a change back, for people to copy: it leads to this very cluster. */
  readonly undoCommand: (id: string) => string;
}

/**
 * Writes the journal, makes the requests one after the other, and stops at the first that does not succeed. The entry
 * that comes back says what stands now: `applied`, `refused` (nothing at all was changed) or `unknown`. When only a part
 * was done it is `applied` with the reason in `why`.
 */
export async function apply(tools: ChangeTools, change: Ready): Promise<JournalEntry> {
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
    // A record that stays all the same says of what is not there; undo takes it away.
    for (const request of done) await tools.writer.write(withdrawal(request, id)).catch(() => undefined);
  }
  // The entry on the disk still says "intended": what happened can then be read from the cluster.
  await tools.journal.write(entry).catch(() => undefined);
  return entry;
}

/**
 * Takes away the record of a status that its controller has taken up: that cannot be taken back, and the record, in
 * another object, would only stay.
 */
export async function dropAppliedRecord(
  { reader, writer }: ClusterAccess,
  { id, requests }: Ready,
): Promise<void> {
  for (const request of requests) {
    if (request.ahead === undefined || !request.path.endsWith('/status')) continue;
    const live = await readAgain(reader, request);
    if (live === 'unread' || request.steps.some((step) => standingOf(step, live, id) === 'made')) continue;
    // What stays all the same is told by `changes`, and undo takes it away.
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
