import { setImmediate as answersTaken } from 'node:timers/promises';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import { catalogue } from '../checks/catalogue.ts';
import type { BaseFacts } from '../collect/base.ts';
import type { Beforehand } from '../diagnose/diagnose.ts';
import { type CheckResult, runCheck } from '../diagnose/run-check.ts';
import type { Callout } from '../facts/callout.ts';

/**
 * Runs the checks that the first reads decide alone, while closer reads are under way, and parses every caBundle, for
 * each will be asked for. Piece by piece, so that answers are taken in between: each may call for the next read.
 */
export async function judgeFirst(
  { withoutWebhooks: _, ...facts }: BaseFacts,
  asked: readonly Callout[],
  now: Date,
): Promise<Beforehand> {
  for (const [at, callout] of asked.entries()) {
    trustOf(callout, facts.version);
    if (at % 50 === 49) await answersTaken();
  }
  const results = new Map<string, readonly CheckResult[]>();
  for (const check of catalogue.filter(({ requires }) => requires.every((name) => name in facts))) {
    results.set(check.meta.id, runCheck(check, { facts, takenAt: now.toISOString() }));
    await answersTaken();
  }
  return results;
}
