import {
  areAllNamespaces,
  extentText,
  selectedNamespaces,
} from '../apiserver/admission/selected-namespaces.ts';
import { doesNotRespond, endedBeforeFailingOpen } from '../apiserver/budget/late-failing-open.ts';
import { trustOf } from '../apiserver/certificate/anchors.ts';
import { ownCallEnd } from '../apiserver/connection/own-call.ts';
import { stuckBecauseOf } from '../apiserver/sentences/stuck-namespaces.ts';
import { type Callout, calloutId, isAdmission } from '../facts/callout.ts';
import { groupBy } from '../facts/collections.ts';
import { keyOf } from '../facts/objects.ts';
import type { Facts } from '../facts/snapshot.ts';
import { ifKnown } from '../facts/unread.ts';
import { agreeing, named } from '../phrases/lists.ts';
import { pluralText, requestLines } from './affected-requests.ts';
import type { BrokenCallout, OutageLine } from './broken-callout.ts';
import { byRank } from './cause.ts';
import { impactTexts, namespacesNotDeletable } from './impact-report.ts';
import type { Effect, OutageReport } from './report.ts';
import type { CalloutBeforeStory } from './stories.ts';

const missingMetrics: Readonly<Record<string, string>> = {
  'metrics.k8s.io': 'HorizontalPodAutoscalers get no CPU and memory metrics',
  'custom.metrics.k8s.io': 'HorizontalPodAutoscalers get no custom metrics',
  'external.metrics.k8s.io': 'HorizontalPodAutoscalers get no external metrics',
};

/** Work of the cluster that stops; deletions of namespaces, and new metrics for autoscalers, are not urgent. */
interface Harm {
  readonly what: string;
  readonly urgent: boolean;
}

/** Deletions of namespaces, with those that are stuck in Terminating because of it. */
function namespaceHarms(callout: Callout, cannotBeDeleted: boolean, facts: Facts): readonly Harm[] {
  const names = [...new Set(stuckBecauseOf(callout, facts).map(({ namespace }) => namespace.metadata.name))];
  const covered = isAdmission(callout) ? selectedNamespaces(callout, facts) : undefined;
  const notDeletable =
    covered === undefined || areAllNamespaces(covered, facts)
      ? namespacesNotDeletable
      : `${extentText(covered, facts)} cannot be deleted`;
  const stuck = `${named('namespace', names, 3)} ${agreeing(names.length, 'is', 'are')} stuck in Terminating`;
  const what = [...(cannotBeDeleted ? [notDeletable] : []), ...(names.length === 0 ? [] : [stuck])].join(
    ', ',
  );
  return what === '' ? [] : [{ what, urgent: false }];
}

/** Heartbeats that their clients end before the webhook fails open. */
function lateHarms(callout: Callout, facts: Facts): readonly Harm[] {
  if (!isAdmission(callout)) return [];
  const ended = ifKnown(
    () =>
      doesNotRespond(callout, facts)
        ? endedBeforeFailingOpen(callout, facts.callouts.filter(isAdmission), facts)
        : [],
    [],
  );
  return [...new Set(ended.map(({ about }) => about.impact))].map((what) => ({ what, urgent: true }));
}

/** The cluster's own work that stops while the webhook or APIService fails; deletions of namespaces last. */
function systemImpact({ callout, report }: BrokenCallout, facts: Facts): readonly Harm[] {
  const { verdict, impact } = report;
  if (verdict.state !== 'failing') return [];
  if (verdict.effect !== 'blocks') return verdict.effect === 'fails-open' ? lateHarms(callout, facts) : [];
  const { namespace = '', name = '' } = callout.client.service ?? {};
  if (callout.kind === 'aggregated-api') {
    const metrics = missingMetrics[callout.group];
    return [
      ...(metrics === undefined ? [] : [{ what: metrics, urgent: false }]),
      ...namespaceHarms(callout, true, facts),
    ];
  }
  const stopped = [
    ...impactTexts(impact?.stops ?? []),
    ...(impact?.comesBack === 'no' ? [`new Pods of Service ${namespace}/${name} cannot be created`] : []),
  ];
  return [
    ...stopped.filter((what) => what !== namespacesNotDeletable).map((what) => ({ what, urgent: true })),
    ...namespaceHarms(callout, stopped.includes(namespacesNotDeletable), facts),
  ];
}

/** The cluster's own work that stops, a line for the same webhooks and APIServices. */
function systemLines(broken: readonly BrokenCallout[], facts: Facts): readonly OutageLine[] {
  const harms = groupBy(
    broken.flatMap((one) => systemImpact(one, facts).map((harm) => ({ harm, id: calloutId(one.callout) }))),
    ({ harm }) => harm.what,
  );
  const idsOf = (same: readonly { readonly id: string }[]) => [...new Set(same.map(({ id }) => id))];
  const byCallouts = groupBy([...harms.values()], (same) => JSON.stringify(idsOf(same)));
  return [...byCallouts.values()].map((same) => ({
    kind: 'system',
    what: same.map(([{ harm }]) => harm.what).join('; '),
    ...(same.some(([{ harm }]) => harm.urgent) ? { urgent: true as const } : {}),
    which: 'all',
    weight: 1,
    callouts: idsOf(same[0]),
  }));
}

type OutageStart = Required<Pick<OutageReport, 'since' | 'sign'>>;

/** The earliest of several starts. */
const earliest = (starts: readonly OutageStart[]): OutageStart | undefined =>
  starts.toSorted((a, b) => (a.since < b.since ? -1 : 1))[0];

/** The time since which no current Pod is Ready; undefined if one is, or if a Pod has no such time. */
function notReadySince({ replicas }: CalloutBeforeStory): string | undefined {
  const times = replicas.flatMap((replica) => replica.notReadySince ?? []);
  return times.length === replicas.length ? times.sort().at(-1) : undefined;
}

/** The last write of EndpointSlices without a ready endpoint; undefined if one is ready, or if not recorded. */
function noEndpointSince({ client: { service } }: Callout, facts: Facts): string | undefined {
  const slices = (service && facts.endpointSlices.getIfKnown(keyOf(service))) ?? [];
  const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
  if (endpoints.some(({ conditions }) => conditions?.ready !== false)) return undefined;
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
function outageStart(broken: BrokenCallout, facts: Facts): OutageStart | undefined {
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

/**
 * Returns the requests that are refused now, or admitted unchecked, widest first. A line names all webhooks
 * and APIServices with this effect, because fixing only one of them does not end it.
 */
export function outageOf(
  all: readonly BrokenCallout[],
  effect: Exclude<Effect, 'none'>,
  facts: Facts,
): readonly OutageReport[] {
  const starts = new Map(all.map((one) => [calloutId(one.callout), outageStart(one, facts)]));
  const passing = new Set(all.flatMap((one) => (passesNow(one, facts) ? calloutId(one.callout) : [])));
  return outageLinesOf(all, effect, facts).map(({ weight: _, ...line }) =>
    line.callouts.every((id) => passing.has(id))
      ? { ...line, notYet: true }
      : { ...line, ...earliest(line.callouts.flatMap((id) => starts.get(id) ?? [])) },
  );
}

/** True if a call of the API server passed in this run, although a new connection fails. */
function passesNow({ callout, report, findings }: BrokenCallout, { probes }: Facts): boolean {
  const probed = probes.getIfKnown(calloutId(callout));
  return (
    report.verdict.state === 'failing' &&
    findings !== undefined &&
    probed !== undefined &&
    ownCallEnd(callout, probed).outcome === 'passes'
  );
}

/** The same without the time of its start. */
export function outageLinesOf(
  all: readonly BrokenCallout[],
  effect: Exclude<Effect, 'none'>,
  facts: Facts,
): readonly OutageLine[] {
  const broken = all.filter(({ report }) => report.verdict.effect === effect);
  const lines = [
    ...(effect === 'blocks' ? systemLines(all, facts) : []),
    ...requestLines(broken, facts),
    ...broken.flatMap((one) => apiLine(one, facts)),
  ];
  return lines.sort(byRank(breadth));
}

/** The line of an APIService or a conversion webhook, which have no rules. */
function apiLine(
  { callout, report: { verdict } }: BrokenCallout,
  { version }: Pick<Facts, 'version'>,
): readonly OutageLine[] {
  const [some, which] =
    verdict.state === 'degraded' ? (['some requests to ', 'some'] as const) : (['', 'all'] as const);
  const line = { kind: 'requests', which, weight: 2, callouts: [calloutId(callout)] } as const;
  switch (callout.kind) {
    case 'aggregated-api': {
      const api = `the API ${callout.group}/${callout.version}`;
      return [{ ...line, what: `${some}use ${api}`, resources: [api] }];
    }
    case 'conversion': {
      const { kind, plural } = callout.resource;
      const objects = pluralText(kind, plural);
      // Without a client for the webhook, the API server serves none of them (apiextensions-apiserver
      // pkg/apiserver/customresource_handler.go).
      const which = trustOf(callout, version)?.kind === 'refused' ? '' : ' that need conversion';
      return [{ ...line, what: `${some}read or write ${objects}${which}`, resources: [objects] }];
    }
    case 'validating':
    case 'mutating':
      return [];
  }
}

/**
 * The rank of an outage, for {@link byRank}: work of the cluster itself, then what concerns more than half of the
 * namespaces, then by resource.
 */
export const breadth = ({
  urgent,
  namespaces,
  weight,
  operations,
  which,
  callouts,
}: OutageLine): readonly number[] => [
  urgent === true ? 0 : 1,
  namespaces === undefined || namespaces.covered * 2 > namespaces.total ? 0 : 1,
  weight,
  operations?.includes('CREATE') === false ? 1 : 0,
  which === 'all' ? 0 : 1,
  -(namespaces?.covered ?? 0),
  -callouts.length,
];
