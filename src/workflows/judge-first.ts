import { setImmediate as answersTaken } from 'node:timers/promises';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import { catalogue } from '../checks/catalogue.ts';
import type { BaseFacts } from '../collect/base.ts';
import type { Beforehand } from '../diagnose/diagnose.ts';
import { type CheckResult, runCheck } from '../diagnose/run-check.ts';
import type { Callout } from '../facts/callout.ts';

/**
 * Parses every caBundle, for each will be asked for; {@link trustOf} remembers them. Piece by piece, so that answers are
 * taken in between: each may call for the next read.
 */
export async function parseCaBundles(
  callouts: readonly Callout[],
  version: string | undefined,
): Promise<void> {
  for (const [at, callout] of callouts.entries()) {
    trustOf(callout, version);
    if (at % 50 === 49) await answersTaken();
  }
}

/** Runs the checks that the first reads decide alone, while closer reads are under way; answers are taken in between. */
export async function judgeFirst(
  { withoutWebhooks: _, ...facts }: BaseFacts,
  now: Date,
): Promise<Beforehand> {
  const results = new Map<string, readonly CheckResult[]>();
  for (const check of catalogue.filter(({ requires }) => requires.every((name) => name in facts))) {
    results.set(check.meta.id, runCheck(check, { facts, takenAt: now.toISOString() }));
    await answersTaken();
  }
  return results;
}
