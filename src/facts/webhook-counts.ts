import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import { wholeSeconds } from '../basics/time.ts';
import { listed } from '../phrases/lists.ts';
import { type AdmissionCallout, isAdmission } from './callout.ts';
import type { Evidence } from './evidence.ts';
import type { MetricsReading, ServerMetrics, ServerReading, WebhookCounts, WebhookType } from './metrics.ts';
import type { ObjectRef } from './object-ref.ts';
import type { Facts } from './snapshot.ts';
import { NotKnown } from './unread.ts';

/** The facts that checks of metrics require. */
export const countedFacts = ['callouts', 'metrics'] as const;
export type CountedFacts = Pick<Facts, (typeof countedFacts)[number]>;

/** A webhook, and the webhooks that share its metrics. */
export interface CountedWebhook {
  readonly ref: ObjectRef;
  readonly callout: AdmissionCallout;
  /** All webhooks of this name and type, including this one: they share metrics. */
  readonly together: readonly AdmissionCallout[];
}

/** The label `type` of the API server's metrics. */
export const webhookTypes: Readonly<Record<AdmissionCallout['kind'], WebhookType>> = {
  validating: 'validating',
  mutating: 'admit',
};

/** Webhooks with metrics, each name once; none if metrics were not requested. */
export const countedCallouts = derive(
  countedFacts,
  ({ callouts, metrics }: CountedFacts): readonly CountedWebhook[] => {
    if (metrics.why('server')?.why === 'not-requested') return [];
    const named = groupBy(callouts.filter(isAdmission), ({ kind, webhook }) => `${kind} ${webhook}`);
    return [...named.values()].map((together) => ({ ref: together[0].ref, callout: together[0], together }));
  },
);

const countsOf = ({ webhooks }: MetricsReading, callout: AdmissionCallout): WebhookCounts | undefined =>
  webhooks.find(({ webhook, type }) => webhook === callout.webhook && type === webhookTypes[callout.kind]);

/** The calls that took longer than a bound of the histogram; 0 if it has no such bound. */
export const longerThan =
  (bound: number) =>
  ({ calls, buckets }: WebhookCounts): number =>
    calls - (buckets.find(({ seconds }) => seconds === bound)?.calls ?? calls);

/** Drops buckets that are not in both histograms. */
const sum = (one: WebhookCounts, other: WebhookCounts): WebhookCounts => ({
  ...one,
  denied: one.denied + other.denied,
  refused: Object.fromEntries(
    Object.keys({ ...one.refused, ...other.refused }).map((code) => [
      code,
      (one.refused[code] ?? 0) + (other.refused[code] ?? 0),
    ]),
  ),
  unusable: one.unusable + other.unusable,
  failedOpen: one.failedOpen + other.failedOpen,
  conditionErrors: one.conditionErrors + other.conditionErrors,
  calls: one.calls + other.calls,
  seconds: one.seconds + other.seconds,
  buckets: one.buckets.flatMap(({ seconds, calls }) => {
    const same = other.buckets.find((bucket) => bucket.seconds === seconds);
    return same === undefined ? [] : [{ seconds, calls: calls + same.calls }];
  }),
});

/** A count, and its start. */
export interface Count {
  readonly total: number;
  /** The maximum number of them that can be from dry runs, which change nothing. */
  readonly dry: number;
  /** For a message: `since 2026-01-01T00:00:00Z`. */
  readonly since: string;
  /** The increase between two readings, without possible dry runs, and the interval for a message: `30 s`. */
  readonly recent?: number;
  readonly span?: string;
}

/** The sum of a webhook's counts of all API servers; undefined if none has any. Throws NotKnown. */
export function countsFor({ callout }: CountedWebhook, { metrics }: CountedFacts): WebhookCounts | undefined {
  const servers = metrics.get('server')?.servers ?? [];
  const [first, ...others] = servers.flatMap((server) => countsOf(server, callout) ?? []);
  return first && others.reduce(sum, first);
}

/** The period of counts for a message: `since 2026-01-01T00:00:00Z`, and the API servers if several. */
export function windowOf({ servers, missing }: ServerMetrics): string {
  const starts = servers.flatMap(({ since }) => since ?? []).toSorted();
  const [first, last] = [starts[0], starts.at(-1)];
  if (first === undefined || last === undefined) return 'since it started';
  const all = servers.length + missing;
  if (all === 1) return `since ${wholeSeconds(first)}`;
  const which = missing === 0 ? `${all}` : `${servers.length} of ${all}`;
  const youngest = servers.length === 1 ? '' : `, the last one since ${wholeSeconds(last)}`;
  return `since ${wholeSeconds(first)} (${which} API servers${youngest})`;
}

/** The reason why a sum of zero is unknown if not all API servers were read. */
export function notAll({ servers, unread, missing }: ServerMetrics): NotKnown {
  return new NotKnown({
    what: `metrics of ${missing} of ${servers.length + missing} API servers`,
    why: 'unreachable',
    detail: unread.map(({ server, detail }) => `${server}: ${detail}`).join('; '),
  });
}

/** Returns true for the response codes of dry runs that the count can include. */
type CodeOf = (code: string) => boolean;

const dryIn = ({ dryRuns = {} }: MetricsReading, ends: CodeOf): number =>
  Object.entries(dryRuns).reduce((sum, [code, times]) => (ends(code) ? sum + times : sum), 0);

/** The increase between two readings; undefined for one, or if another API server may have counted. */
function increaseOf(
  callout: AdmissionCallout,
  servers: readonly ServerReading[],
  of: (counts: WebhookCounts) => number,
  ends: CodeOf,
): Pick<Count, 'recent' | 'span'> {
  const twice = servers.flatMap((server) =>
    server.before === undefined ? [] : [{ ...server, before: server.before }],
  );
  if (twice.length === 0) return {};
  const number = (reading: MetricsReading): number => {
    const counts = countsOf(reading, callout);
    return counts === undefined ? 0 : of(counts);
  };
  const recent = twice.reduce((sum, server) => {
    const more = number(server) - number(server.before);
    return sum + Math.max(0, more - (dryIn(server, ends) - dryIn(server.before, ends)));
  }, 0);
  if (recent === 0 && twice.length < servers.length) return {};
  const times = twice.map(({ readAt, before }) => Date.parse(readAt) - Date.parse(before.readAt));
  return { recent, span: `${Math.max(1, Math.round(Math.max(...times) / 1000))} s` };
}

/** One count of a webhook, with its period. Throws NotKnown. */
export function count(
  counted: CountedWebhook,
  facts: CountedFacts,
  of: (counts: WebhookCounts) => number,
  ends: CodeOf = () => true,
): Count | undefined {
  const all = facts.metrics.get('server');
  if (all === undefined) return undefined;
  const counts = countsFor(counted, facts);
  const total = counts === undefined ? 0 : of(counts);
  if (total === 0 && all.missing > 0) throw notAll(all);
  if (counts === undefined) return undefined;
  const dry = all.servers.reduce((sum, server) => {
    const own = countsOf(server, counted.callout);
    return own === undefined ? sum : sum + Math.min(of(own), dryIn(server, ends));
  }, 0);
  return { total, dry, since: windowOf(all), ...increaseOf(counted.callout, all.servers, of, ends) };
}

/** Text after a count: how many of them can be from dry runs. Empty if there are none. */
export function dryNote({ dry, total }: Count): string {
  if (dry === 0) return '';
  return dry === total ? ' (possibly all in dry runs)' : ` (at most ${dry} of them in dry runs)`;
}

/** `of policy.example.com`, and the other webhooks that share its counts. */
export const countedFor = ({ callout, together }: CountedWebhook): string =>
  together.length === 1
    ? callout.webhook
    : `${callout.webhook} (${listed(together.map(({ configuration }) => configuration))} together: the API server counts by name)`;

/** The lines of /metrics with the count, one per API server, and the API servers that could not be read. */
export function countEvidence(
  { callout }: CountedWebhook,
  { metrics }: CountedFacts,
  name: string,
  value: (counts: WebhookCounts) => string | number,
): readonly Evidence[] {
  const all = metrics.get('server');
  if (all === undefined) return [];
  const lines = all.servers.flatMap((server): readonly Evidence[] => {
    const counts = countsOf(server, callout);
    if (counts === undefined) return [];
    return [
      {
        object: callout.ref,
        field: `${server.server}/metrics ${name}{name="${callout.webhook}",type="${webhookTypes[callout.kind]}"}`,
        value: `${value(counts)}${server.since === undefined ? '' : `, counting since ${server.since}`}`,
      },
    ];
  });
  return [...lines, ...unreadEvidence(callout.ref, all)];
}

/** API servers that were not read, if their counts are missing. */
export const unreadEvidence = (object: ObjectRef, { unread, missing }: ServerMetrics): readonly Evidence[] =>
  missing === 0
    ? []
    : unread.map(({ server, detail }) => ({
        object,
        field: `${server}/metrics`,
        value: `not read: ${detail}`,
      }));
