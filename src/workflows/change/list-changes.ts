import type { ChangeTools } from '../../change/apply.ts';
import type { ChangeEntry, ChangeReport } from '../../change/change-report.ts';
import { fieldManager } from '../../change/cluster-writer.ts';
import { type RecordedChange, recordedChanges } from '../../change/recorded-changes.ts';
import { notCarriedOut, presentState } from '../../change/undo.ts';
import { ReadError } from '../../collect/cluster.ts';
import { listed } from '../../phrases/lists.ts';
import { recordedEntry } from './change-entry.ts';
import { restoringManager } from './restore-cronjob.ts';

/** `ChangeReport` around some entries. */
export const changeReport = (
  { reader, now }: Pick<ChangeTools, 'reader' | 'now'>,
  changes: readonly ChangeEntry[],
  notLookedAt: NonNullable<ChangeReport['notLookedAt']> = [],
): ChangeReport => ({
  apiVersion: 'kubectl-webhook/v1',
  kind: 'ChangeReport',
  takenAt: now().toISOString(),
  cluster: { server: reader.server, ...(reader.context === undefined ? {} : { context: reader.context }) },
  changes,
  ...(notLookedAt.length === 0 ? {} : { notLookedAt }),
});

const isTrigger = ({ steps }: RecordedChange): boolean =>
  steps.every(({ subresource }) => subresource === 'status');
const processedByController = 'its controller has acted on it: there is nothing to undo';

function whoReverted(managers: readonly string[]): string {
  if (managers.includes(restoringManager)) return 'its CronJob restored it';
  // Changes that this machine has undone are in its journal.
  if (managers.includes(fieldManager)) return 'it was undone with this program, on another machine';
  return `${managers.length === 0 ? 'someone' : listed(managers)} reverted it`;
}

/** `changes`: all changes in the journal or the cluster, newest first, with their state. Read-only. */
export async function listChanges(tools: ChangeTools): Promise<ChangeReport> {
  const { changes, unread } = await recordedChanges(tools.reader, tools.journal, tools.cluster);
  const entries = await Promise.all(
    changes.toReversed().map(async (change): Promise<ChangeEntry> => {
      const entry = recordedEntry(change, tools);
      if (entry.state === 'undone' || entry.state === 'refused') return entry;
      const standing = await presentState(tools.reader, change).catch((error: unknown) => {
        if (error instanceof ReadError) return error;
        throw error;
      });
      if (standing instanceof ReadError)
        return { ...entry, why: `its current state could not be read: ${standing.message}` };
      const says = [...standing.changedSince, ...standing.notUndoable];
      if (says.length > 0)
        return { ...entry, state: entry.state === 'unknown' ? 'applied' : entry.state, why: says.join('; ') };
      const { undo, why: before, ...rest } = entry;
      if (!standing.isInPlace) {
        if (change.state === 'intended' || change.state === 'unknown')
          return { ...rest, state: 'refused', why: notCarriedOut };
        if (change.state === 'undoing') return { ...rest, state: 'undone' };
        const why = isTrigger(change) ? processedByController : whoReverted(standing.revertedBy);
        return { ...rest, state: 'undone', why };
      }
      if (standing.plan.edits.length === 0 && standing.revertedBy.length === 0)
        return { ...entry, state: 'undone', why: 'only its record is left; undo removes it' };
      if (entry.state !== 'unknown') {
        // The reason for a partial or unverified change does not describe the present state.
        const isComplete = standing.plan.edits.length === change.steps.length;
        if (standing.revertedBy.length === 0) return isComplete ? { ...rest, ...(undo && { undo }) } : entry;
        const why = `in part, ${whoReverted(standing.revertedBy)}; undo restores the rest`;
        return { ...entry, state: 'applied', why };
      }
      const why =
        change.state === 'undoing'
          ? `${before ?? 'this program exited during the undo'}; run undo again to finish it`
          : 'the change was made, but not confirmed at the time';
      return { ...entry, state: 'applied', why };
    }),
  );
  return changeReport(tools, entries, unread);
}
