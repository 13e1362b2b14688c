import { setImmediate as answersTaken } from 'node:timers/promises';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import type { Check } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import type { ClusterFacts } from '../collect/planner.ts';
import { type CheckResult, type CheckResults, runCheck } from '../diagnose/run-check.ts';
import { limits } from '../facts/limits.ts';
import type { Known } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { named } from '../phrases/lists.ts';
import { inTurn, Stopped, shareOf } from './time-slice.ts';

/** Milliseconds that the processor is kept busy before answers are taken in, and that one check may take. */
const slice = 10;
const longest = 5_000;

/**
 * Parses every caBundle as soon as it is read, for each will be asked for; {@link trustOf} remembers them. Piece by
 * piece, so that answers are taken in between: each may call for the next read. Not beyond the end of the run.
 */
export async function parseCaBundles(known: Known, { until }: Pick<ClusterReader, 'until'>): Promise<void> {
  const { callouts, version } = await known(['callouts', 'version']);
  let began = performance.now();
  for (const callout of callouts) {
    trustOf(callout, version);
    if (performance.now() - began < slice) continue;
    await answersTaken();
    began = performance.now();
    if (until !== undefined && began > until()) return;
  }
}

/** Of what is left of a run when everything is read: what checks may take. Reports and printing take the rest. */
const shareOfChecks = 3 / 5;

/**
 * Runs each check as soon as the facts are complete that it requires; answers are taken in between. None runs while
 * probes measure how long backends take, none when its share of the run's time is over.
 */
export async function judgeWhileReading(
  checks: readonly Check[],
  { known, takenAt }: Pick<ClusterFacts, 'known' | 'takenAt'>,
  reader: Pick<ClusterReader, 'until'>,
): Promise<CheckResults> {
  let end = shareOf(reader, 1);
  const complete = known(checks.flatMap(({ requires }) => requires)).then(() => {
    end = shareOf(reader, shareOfChecks);
  });
  const results = new Map<Check, readonly CheckResult[]>();
  let count = 0;
  const stopped: string[] = [];
  await Promise.all([
    complete,
    ...checks.map(async (check) => {
      const [facts] = await Promise.all([known(check.requires), known(['probes'])]);
      const left = () => (count > limits.results ? 0 : Math.min(longest, end() - performance.now()));
      try {
        const found = await inTurn(left, () => {
          const judged = runCheck(check, { ...facts, takenAt });
          count += judged.length;
          return judged;
        });
        results.set(check, found);
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        stopped.push(check.meta.id);
      }
    }),
  ]);
  const what = named('check', stopped, 3);
  const unread: Unread =
    count > limits.results
      ? { what, why: 'too-large', detail: `the others have more than ${limits.results} results` }
      : { what, why: 'timeout', detail: 'the time limit was reached' };
  // Which answers came first must not show.
  const inOrder = checks.flatMap((check) => results.get(check) ?? []);
  return { results: inOrder, stopped: stopped.length === 0 ? [] : [unread] };
}
