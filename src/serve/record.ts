import type { CertificateReport } from '../diagnose/certificates/certificate-report.ts';
import type { CalloutReport, DoctorReport } from '../diagnose/report.ts';
import { calloutId } from '../facts/callout.ts';
import { type MetricsReading, sameProcess } from '../facts/metrics.ts';

/** Counts by a few labels. */
export type Counter = Map<string, number>;

/** Labels of a counter, in a fixed order. */
const labelsKey = (labels: readonly string[]): string => JSON.stringify(labels);
/** The label values of a key of a {@link Counter}. */
export const labelsOfKey = (key: string): readonly string[] => JSON.parse(key);

/** Adds to the count of these label values; 0 creates the series. */
export const countIn = (counter: Counter, labels: readonly string[], by = 1): void => {
  const key = labelsKey(labels);
  counter.set(key, (counter.get(key) ?? 0) + by);
};

/** Upper bounds in seconds, for calls of up to 30 s. */
export const latencyBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Durations of connections to Pods, by the kind of webhook. */
interface Latencies {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** The counters of a server since its start. Their size depends on the number of webhooks, not on time. */
export interface ServeRecord {
  report?: DoctorReport;
  certificates?: CertificateReport;
  /** Duration of the latest evaluation in milliseconds. */
  took: number;
  /** Whether this replica connects to Pods; undefined with `--probe none`. */
  probes: boolean | undefined;
  evaluations: number;
  readonly failures: Counter;
  /** By verb and status. */
  readonly apiRequests: Counter;
  readonly watchEnds: Counter;
  /** By path and status. */
  readonly answers: Counter;
  readonly latencies: Map<string, Latencies>;
  /** Requests that API servers admitted without the webhook, and refused because a call failed: by type and name. */
  readonly unchecked: Counter;
  readonly blocked: Counter;
  /** The last reading of each API server. */
  counted: readonly MetricsReading[];
}

/** The record of a server that has not evaluated anything yet. */
export const newRecord = (): ServeRecord => ({
  took: 0,
  probes: false,
  evaluations: 0,
  failures: new Map(),
  apiRequests: new Map(),
  watchEnds: new Map(),
  answers: new Map(),
  latencies: new Map(),
  unchecked: new Map(),
  blocked: new Map(),
  counted: [],
});

/** Records the response times of the Pods of freshly probed webhooks. */
export function noteLatencies(
  record: ServeRecord,
  callouts: readonly CalloutReport[],
  fresh: ReadonlySet<string>,
): void {
  for (const callout of callouts) {
    if (!fresh.has(calloutId(callout))) continue;
    for (const { latencyMs } of callout.replicas) {
      if (latencyMs === undefined) continue;
      const of = record.latencies.get(callout.kind) ?? {
        buckets: latencyBounds.map(() => 0),
        sum: 0,
        count: 0,
      };
      record.latencies.set(callout.kind, of);
      const seconds = latencyMs / 1000;
      for (const [at, bound] of latencyBounds.entries())
        if (seconds <= bound) of.buckets[at] = (of.buckets[at] ?? 0) + 1;
      of.sum += seconds;
      of.count += 1;
    }
  }
}

/**
 * Adds the calls that API servers have counted since the previous reading of the same process. A new process
 * is counted from zero if this server already ran. The first reading is only the baseline.
 */
export function noteCounts(
  record: ServeRecord,
  readings: readonly MetricsReading[],
  startedAt: number,
): void {
  for (const reading of readings) {
    const before = record.counted.find((one) => sameProcess(one, reading));
    const sinceThen = reading.since !== undefined && Date.parse(reading.since) > startedAt;
    for (const { webhook, type, failedOpen, refused, unusable } of reading.webhooks) {
      const earlier = before?.webhooks.find((one) => one.webhook === webhook && one.type === type);
      const all = (counts: {
        readonly refused: Readonly<Record<string, number>>;
        readonly unusable: number;
      }) => Object.values(counts.refused).reduce((sum, value) => sum + value, counts.unusable);
      const known = before !== undefined || sinceThen;
      const labels = [type, webhook];
      countIn(record.unchecked, labels, known ? Math.max(0, failedOpen - (earlier?.failedOpen ?? 0)) : 0);
      const blocked = all({ refused, unusable }) - (earlier === undefined ? 0 : all(earlier));
      countIn(record.blocked, labels, known ? Math.max(0, blocked) : 0);
    }
  }
  const kept = record.counted.filter((one) => !readings.some((reading) => sameProcess(one, reading)));
  // API servers that no longer exist are removed.
  record.counted = [...readings, ...kept].slice(0, 16);
  const names = new Set(
    record.counted.flatMap(({ webhooks }) => webhooks.map(({ type, webhook }) => labelsKey([type, webhook]))),
  );
  for (const counter of [record.unchecked, record.blocked])
    for (const key of counter.keys()) if (!names.has(key)) counter.delete(key);
}
