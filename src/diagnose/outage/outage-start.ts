import type { Callout } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { endpointsIn, isReadyEndpoint } from '../../facts/objects/endpoint-slice.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { OutageReport } from '../report.ts';
import type { CalloutBeforeStory } from '../stories.ts';
import type { BrokenCallout } from './broken-callout.ts';

type OutageStart = Required<Pick<OutageReport, 'since' | 'sign'>>;

/** The earliest of several starts. */
export const earliest = (starts: readonly OutageStart[]): OutageStart | undefined =>
  starts.toSorted((a, b) => (a.since < b.since ? -1 : 1))[0];

/** The time since which no current Pod is Ready; undefined if one is, or if a Pod has no such time. */
function notReadySince({ replicas }: CalloutBeforeStory): string | undefined {
  const times = replicas.flatMap((replica) => replica.notReadySince ?? []);
  return times.length === replicas.length ? times.sort().at(-1) : undefined;
}

/** The last write of EndpointSlices without a ready endpoint; undefined if one is ready, or if not recorded. */
function noEndpointSince({ client: { service } }: Callout, facts: Facts): string | undefined {
  const slices = (service && facts.endpointSlices.getIfKnown(keyOf(service))) ?? [];
  const endpoints = endpointsIn(slices);
  if (endpoints.some(isReadyEndpoint)) return undefined;
  const written = slices.map(({ metadata: { managedFields = [] } }) =>
    managedFields
      .flatMap(({ time = [] }) => time)
      .sort()
      .at(-1),
  );
  return written.includes(undefined) ? undefined : written.sort().at(-1);
}

/** States that still exist, and the time since which each has existed. */
function currentSigns(
  { callout, report, findings = [] }: BrokenCallout,
  facts: Facts,
): readonly OutageStart[] {
  if (report.verdict.state !== 'failing') return [];
  const [because] = report.verdict.because;
  const cause = findings.find(({ check, causedBy }) => causedBy === undefined && check === because);
  const signs = [
    { since: notReadySince(report), sign: 'pods-not-ready' },
    { since: noEndpointSince(callout, facts), sign: 'no-endpoint' },
    { since: cause?.since, sign: 'cause' },
  ] as const;
  return signs.flatMap(({ since, sign }) => (since === undefined ? [] : { since, sign }));
}

/**
 * The first sign of an outage: the change that made the webhook fail open, an Event about a refused Pod, the
 * condition Available of an APIService, the condition Ready of all Pods, or a value that causes it.
 */
export function outageStart(broken: BrokenCallout, facts: Facts): OutageStart | undefined {
  const { callout, report } = broken;
  const { opened } = report;
  if (opened !== undefined) return { since: opened.at, sign: 'failed-open' };
  const refused = (report.impact?.blocked ?? []).flatMap(({ since = [] }) => since);
  const conditions = callout.kind === 'aggregated-api' ? callout.conditions : [];
  const unavailable = conditions.filter(({ type, status }) => type === 'Available' && status !== 'True');
  const seen = [...refused, ...unavailable.flatMap(({ lastTransitionTime = [] }) => lastTransitionTime)];
  return earliest([
    ...seen.map((since) => ({ since, sign: 'seen' as const })),
    ...currentSigns(broken, facts),
  ]);
}
