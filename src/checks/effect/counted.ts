import { type AdmissionCallout, isAdmission } from '../../facts/callout.ts';
import type { MetricsReading, ServerMetrics, WebhookCounts, WebhookType } from '../../facts/metrics.ts';
import type { ObjectRef } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Evidence } from '../check.ts';

/** What every check over counts reads. */
export const countedFacts = ['callouts', 'metrics'] as const;
type CountedFacts = Pick<Facts, (typeof countedFacts)[number]>;

/** A webhook, and who else is counted under its name. */
export interface Counted {
  readonly ref: ObjectRef;
  readonly callout: AdmissionCallout;
  /** All webhooks of this name and type, this one among them: the API server counts them together. */
  readonly together: readonly AdmissionCallout[];
}

const typeOf = ({ kind }: AdmissionCallout): WebhookType => (kind === 'mutating' ? 'admit' : 'validating');

/** Webhooks that are judged by their counts, each name once; none where nobody was to read any. */
export function countedCallouts({ callouts, metrics }: CountedFacts): readonly Counted[] {
  if (metrics.why('server')?.why === 'not-requested') return [];
  const admission = callouts.filter(isAdmission);
  const same = (a: AdmissionCallout, b: AdmissionCallout) => a.kind === b.kind && a.webhook === b.webhook;
  return admission.flatMap((callout) => {
    const together = admission.filter((other) => same(other, callout));
    return together[0] === callout ? [{ ref: callout.ref, callout, together }] : [];
  });
}

const countsOf = ({ webhooks }: MetricsReading, callout: AdmissionCallout): WebhookCounts | undefined =>
  webhooks.find(({ webhook, type }) => webhook === callout.webhook && type === typeOf(callout));

/** A number that was counted, and since when. */
export interface Count {
  readonly total: number;
  /** In a sentence: `since 2026-01-01T00:00:00Z`. */
  readonly since: string;
  /** Between two readings, and in a sentence how long that was: `30 s`. */
  readonly recent?: number;
  readonly span?: string;
}

/** The counts of a webhook; undefined where the API server has counted nothing of it. Throws NotKnown. */
export function countsFor({ callout }: Counted, { metrics }: CountedFacts): WebhookCounts | undefined {
  const server = metrics.get('server');
  return server && countsOf(server, callout);
}

const spanOf = (server: ServerMetrics, before: MetricsReading): string =>
  `${Math.max(1, Math.round((Date.parse(server.readAt) - Date.parse(before.readAt)) / 1000))} s`;

/** One number out of the counts of a webhook, with its window. Throws NotKnown. */
export function count(
  { callout }: Counted,
  { metrics }: CountedFacts,
  of: (counts: WebhookCounts) => number,
): Count | undefined {
  const server = metrics.get('server');
  const counts = server && countsOf(server, callout);
  if (server === undefined || counts === undefined) return undefined;
  const { before } = server;
  const earlier = before && countsOf(before, callout);
  return {
    total: of(counts),
    since: server.since === undefined ? 'since it started' : `since ${server.since.slice(0, 19)}Z`,
    ...(before === undefined
      ? {}
      : { recent: of(counts) - (earlier === undefined ? 0 : of(earlier)), span: spanOf(server, before) }),
  };
}

/** `of policy.example.com`, and whose counts they are besides. */
export const whose = ({ callout, together }: Counted): string =>
  together.length === 1
    ? callout.webhook
    : `${callout.webhook} (${together.map(({ configuration }) => configuration).join(' and ')} together: the API server counts by name)`;

/** The line of /metrics that says so. */
export function countEvidence(
  { callout }: Counted,
  { metrics }: CountedFacts,
  name: string,
  value: string | number,
): Evidence {
  const { server = '', since = '' } = metrics.get('server') ?? {};
  return {
    object: callout.ref,
    field: `${server}/metrics ${name}{name="${callout.webhook}",type="${typeOf(callout)}"}`,
    value: `${value}${since === '' ? '' : `, counting since ${since}`}`,
  };
}

/** How often a webhook failed open, where somebody read it; nothing else where nobody could. */
export function failedOpenEvidence(callout: AdmissionCallout, facts: CountedFacts): readonly Evidence[] {
  if (!facts.metrics.known('server')) return [];
  const counted = countedCallouts(facts).find(({ together }) => together.includes(callout));
  const times = counted && countsFor(counted, facts)?.failedOpen;
  return counted === undefined || !times
    ? []
    : [countEvidence(counted, facts, 'apiserver_admission_webhook_fail_open_count', times)];
}
