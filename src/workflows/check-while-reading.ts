import { setImmediate as answersTaken } from 'node:timers/promises';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import { limits } from '../basics/limits.ts';
import type { Check } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster.ts';
import type { ClusterFacts } from '../collect/planner.ts';
import { type CheckResult, type CheckResults, runCheck } from '../diagnose/findings/run-check.ts';
import type { Known } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { namedList } from '../phrases/lists.ts';
import { inTurn, Stopped, shareOf } from './time-slice.ts';

/** Milliseconds of computation before responses are processed, and the time limit of one check. */
const slice = 10;
const longest = 5_000;

/**
 * Parses every caBundle as soon as it is read: checks need all of them, and {@link trustOf} caches them. Yields between
 * them, so that responses are processed and start the next reads. Stops at the end of the run.
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

/** The share of the remaining time for checks after all reads. Reports and output need the rest. */
const shareOfChecks = 3 / 5;

/**
 * Runs each check as soon as its required facts are complete, and processes responses in between. No check runs while
 * probes measure response times, or after its share of the run's time.
 */
export async function checkWhileReading(
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
          const checkResults = runCheck(check, { ...facts, takenAt });
          count += checkResults.length;
          return checkResults;
        });
        results.set(check, found);
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        stopped.push(check.meta.id);
      }
    }),
  ]);
  const what = namedList('check', stopped, 3);
  const unread: Unread =
    count > limits.results
      ? { what, why: 'too-large', detail: `the others have more than ${limits.results} results` }
      : { what, why: 'timeout', detail: 'the time limit was reached' };
  // The order of responses must not affect the result.
  const inOrder = checks.flatMap((check) => results.get(check) ?? []);
  return { results: inOrder, stopped: stopped.length === 0 ? [] : [unread] };
}
