import { setImmediate as answersTaken } from 'node:timers/promises';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import type { Check } from '../checks/check.ts';
import type { ClusterReader } from '../collect/cluster-reader.ts';
import type { ClusterFacts } from '../collect/planner.ts';
import { type CheckResult, type CheckResults, runCheck } from '../diagnose/run-check.ts';
import { limits } from '../facts/limits.ts';
import type { Facts, Known } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { named } from '../phrases/lists.ts';
import { Stopped, shareOf, within } from './time-slice.ts';

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
  const ready: { readonly check: Check; readonly facts: Partial<Facts> }[] = [];
  let judging: Promise<void> | undefined;
  const judgeAll = async (): Promise<void> => {
    while (ready.length > 0) {
      await answersTaken();
      const began = performance.now();
      let running = '';
      try {
        const left = count > limits.results ? 0 : end() - began;
        within(Math.min(longest, left), () => {
          for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
            running = next.check.meta.id;
            const found = runCheck(next.check, { ...next.facts, takenAt });
            results.set(next.check, found);
            count += found.length;
            if (performance.now() - began > slice) break;
          }
        });
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
        stopped.push(running || (ready.shift()?.check.meta.id ?? ''));
      }
    }
    judging = undefined;
  };
  await Promise.all([
    complete,
    ...checks.map(async (check) => {
      const [facts] = await Promise.all([known(check.requires), known(['probes'])]);
      ready.push({ check, facts });
      judging ??= judgeAll();
      await judging;
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
