import type { SoakOutcome } from './dry-run-outcome.ts';
import type { SoakReport, SoakSecond } from './soak-report.ts';

type Second = { -readonly [Name in keyof SoakSecond]: SoakSecond[Name] };
const nothing = (): Second => ({ checked: 0, unchecked: 0, failed: 0, other: 0, slow: 0 });

const mostMessages = 20;

/** Counts responses by the second in which their requests were sent. */
export function soakTally(slowerThan: number): {
  /** `sentAt`, `took`: milliseconds; `sentAt` since the start of the soak. */
  readonly add: (outcome: SoakOutcome, sentAt: number, took: number) => void;
  readonly result: (
    seconds: number,
    notSent: number,
  ) => Pick<SoakReport, 'totals' | 'latency' | 'failures' | 'timeline'>;
} {
  const timeline: Second[] = [];
  const totals = nothing();
  const times: number[] = [];
  const messages = new Map<string, number>();

  return {
    add(outcome, sentAt, took) {
      const at = Math.floor(sentAt / 1000);
      while (timeline.length <= at) timeline.push(nothing());
      const second = timeline[at] as Second;
      for (const counts of [second, totals]) {
        counts[outcome.outcome] += 1;
        if (took > slowerThan) counts.slow += 1;
      }
      times.push(took);
      if (!('message' in outcome)) return;
      const known = messages.get(outcome.message);
      if (known !== undefined || messages.size < mostMessages)
        messages.set(outcome.message, (known ?? 0) + 1);
    },
    result(seconds, notSent) {
      while (timeline.length < Math.ceil(seconds)) timeline.push(nothing());
      const sorted = times.toSorted((a, b) => a - b);
      const quantile = (share: number): number =>
        Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
      return {
        totals: { requests: times.length, ...totals, notSent },
        ...(sorted.length === 0
          ? {}
          : { latency: { median: quantile(0.5), p99: quantile(0.99), longest: quantile(1) } }),
        failures: [...messages]
          .map(([message, count]) => ({ count, message }))
          .sort((a, b) => b.count - a.count),
        timeline,
      };
    },
  };
}
