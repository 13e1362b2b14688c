import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeTools } from '../../change/apply.ts';
import { ChangeRefused } from '../../change/change-refused.ts';
import type { ChangeEntry } from '../../change/change-report.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import type { Conversation } from './conversation.ts';
import { undoChange } from './undo-change.ts';

/** Milliseconds between two tries to restore. */
const longestPause = 30_000;

/**
 * Takes a change back, again and again until the API server lets it happen: that was promised. Ends with an entry that
 * says `undone`, or `refused` where somebody else has changed it since.
 */
export async function restore(
  tools: ChangeTools,
  id: string,
  conversation: Conversation,
): Promise<ChangeEntry | undefined> {
  const quiet: Conversation = { ...conversation, show: () => undefined };
  for (let pause = 2000; ; pause = Math.min(pause * 2, longestPause)) {
    const undone = await undoChange(tools, id, { yes: true }, quiet).catch((error: unknown) => {
      if (error instanceof ReadError || (error instanceof ChangeRefused && error.passing)) return undefined;
      throw error;
    });
    const entry = undone?.entry;
    // A way back that is still told stands: what was in between may be over.
    if (entry !== undefined && (entry.undo === undefined || entry.state === 'undone')) return entry;
    conversation.stage(`restoring: the API server did not answer; trying again in ${pause / 1000} s`);
    await sleep(pause);
  }
}
