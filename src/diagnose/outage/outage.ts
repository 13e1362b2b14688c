import { timelineOf } from '../../apiserver/budget/timeline.ts';
import { trustOf } from '../../apiserver/certificate/anchors.ts';
import { isCalledNow, isDenialBy } from '../../apiserver/connection/own-call.ts';
import { callsFailPartly } from '../../apiserver/connection/probed-endpoints.ts';
import { findCause } from '../../apiserver/sentences/call-error/find-cause.ts';
import { byRank } from '../../basics/collections.ts';
import { calloutId, isAdmission } from '../../facts/callout.ts';
import { pluralText } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Effect, OutageReport } from '../report.ts';
import { requestLines } from './affected-requests.ts';
import type { BrokenCallout, OutageLine } from './broken-callout.ts';
import { earliest, outageStart } from './outage-start.ts';
import { systemLines } from './stopped-work.ts';

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

/**
 * Splits the requests that would be admitted unchecked: the API server ends those whose webhooks take longer than a
 * write may, whatever their failurePolicy is.
 */
export function splitByTime(
  lines: readonly OutageReport[],
  all: readonly BrokenCallout[],
  version: string | undefined,
) {
  const hanging = all.flatMap(({ callout, report: { verdict } }) =>
    isAdmission(callout) && verdict.error !== undefined && findCause(verdict.error)?.kind === 'deadline'
      ? [callout]
      : [],
  );
  const isLate = ({ which, callouts }: OutageReport): boolean => {
    const met = hanging.filter((callout) => callouts.includes(calloutId(callout)));
    return which === 'all' && timelineOf(met, () => 'hangs', {}, version).end === 'timed-out';
  };
  return { late: lines.filter(isLate), unchecked: lines.filter((line) => !isLate(line)) };
}

/** True if a call of the API server passed in this run, although a new connection fails. */
function passesNow({ callout, report, findings }: BrokenCallout, { probes }: Facts): boolean {
  const probed = probes.getIfKnown(calloutId(callout));
  return (
    report.verdict.state === 'failing' &&
    findings !== undefined &&
    // A passing call of a webhook that is not called shows nothing.
    !findings.some(({ admittedAnyway }) => admittedAnyway) &&
    probed !== undefined &&
    // The call passed, and the request was refused.
    !isDenialBy(callout, probed.dryRun?.message ?? '') &&
    isCalledNow(callout, probed)
  );
}

/** For sorting: what is refused, before what the cluster cannot do without it. */
export const requestsFirst = byRank<Pick<OutageLine, 'kind'>>(({ kind }) => [kind === 'system' ? 1 : 0]);

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
function apiLine({ callout, report: { verdict } }: BrokenCallout, facts: Facts): readonly OutageLine[] {
  const [some, which] =
    verdict.state === 'degraded' ? (['some requests to ', 'some'] as const) : (['', 'all'] as const);
  const line = { kind: 'requests', which, weight: 2, callouts: [calloutId(callout)] } as const;
  switch (callout.kind) {
    case 'aggregated-api': {
      const api = `API ${callout.group}/${callout.version}`;
      return [{ ...line, what: `${some}use ${api}`, resources: [api] }];
    }
    case 'conversion': {
      const { kind, plural } = callout.resource;
      const objects = pluralText(kind, plural);
      // Without a client for the webhook, the API server serves none of them (apiextensions-apiserver
      // pkg/apiserver/customresource_handler.go).
      const stored = callout.versions.find(({ storage }) => storage)?.name;
      if (stored !== undefined && callsFailPartly(callout, facts))
        return [{ ...line, what: `write ${objects} in other versions than ${stored}`, resources: [objects] }];
      const isRefused = trustOf(callout, facts.version)?.kind === 'refused';
      const which = isRefused ? '' : ' that need conversion';
      // The objects of a CRD are listed and deleted before it; those in the storage version need no conversion.
      const areHeld = isRefused || callout.storedVersions.some((version) => version !== stored);
      const isDeleted = callout.metadata.deletionTimestamp !== undefined && areHeld;
      const end = isDeleted ? ', or finish the deletion of their CRD' : '';
      return [{ ...line, what: `${some}read or write ${objects}${which}${end}`, resources: [objects] }];
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
