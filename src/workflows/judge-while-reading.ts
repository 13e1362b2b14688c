import { setImmediate as answersTaken } from 'node:timers/promises';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import type { Check } from '../checks/check.ts';
import { type CheckResult, runCheck } from '../diagnose/run-check.ts';
import type { Known } from '../facts/snapshot.ts';

/**
 * Parses every caBundle as soon as it is read, for each will be asked for; {@link trustOf} remembers them. Piece by
 * piece, so that answers are taken in between: each may call for the next read.
 */
export async function parseCaBundles(known: Known): Promise<void> {
  const { callouts, version } = await known(['callouts', 'version']);
  for (const [at, callout] of callouts.entries()) {
    trustOf(callout, version);
    if (at % 50 === 49) await answersTaken();
  }
}

/**
 * Runs each check as soon as the facts are complete that it requires, one at a time; answers are taken in between. None
 * runs while probes measure how long backends take.
 */
export async function judgeWhileReading(
  checks: readonly Check[],
  known: Known,
  takenAt: string,
): Promise<readonly CheckResult[]> {
  let last: Promise<unknown> = Promise.resolve();
  const results = await Promise.all(
    checks.map(async (check) => {
      const [facts] = await Promise.all([known(check.requires), known(['probes'])]);
      const judged = last.then(() => answersTaken()).then(() => runCheck(check, { ...facts, takenAt }));
      last = judged;
      return judged;
    }),
  );
  return results.flat();
}
