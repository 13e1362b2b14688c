import { severities } from '../checks/chain.ts';
import { outageOf, requestsFirst } from '../diagnose/outage/outage.ts';
import {
  type CalloutReport,
  calloutStates,
  type DoctorReport,
  type FindingReport,
  type OutageReport,
} from '../diagnose/report.ts';
import { byId, type Callout, calloutId, isAdmission, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';
import { counted } from '../phrases/lists.ts';
import type { StateChange, WhatIfReport } from './what-if-report.ts';

/** Facts with doctor's report about them. */
export interface EvaluatedFacts {
  readonly facts: Facts;
  readonly report: DoctorReport;
}

/** The outages of each webhook or APIService, its requests before the consequences for the cluster. */
function linesOf(lines: readonly OutageReport[]): (id: string) => readonly OutageReport[] {
  const byCallout = new Map<string, OutageReport[]>();
  for (const line of lines.toSorted(requestsFirst))
    for (const id of line.callouts) byCallout.set(id, [...(byCallout.get(id) ?? []), line]);
  return (id) => byCallout.get(id) ?? [];
}

/** Number of namespaces in which each resource is affected; 1 for cluster-scoped ones. */
const extentOf = (lines: readonly OutageReport[]): ReadonlyMap<string, number> =>
  new Map(
    lines.flatMap(({ what, resources = [what], namespaces }) =>
      resources.map((resource) => [resource, namespaces?.covered ?? 1] as const),
    ),
  );

/** Resources that are affected in more namespaces than before. */
function widened(before: readonly OutageReport[], after: readonly OutageReport[]): ReadonlySet<string> {
  const known = extentOf(before);
  return new Set(
    [...extentOf(after)].flatMap(([resource, now]) => (now > (known.get(resource) ?? 0) ? resource : [])),
  );
}

/** The outages that affect more than before. */
function newLines(before: readonly OutageReport[], after: readonly OutageReport[]): readonly string[] {
  const more = widened(before, after);
  return after.flatMap(({ what, resources = [what] }) =>
    resources.some((one) => more.has(one)) ? what : [],
  );
}

/** The objects and probes that the prediction about a webhook depends on. */
function restsOn(callout: Callout, { endpointSlices, services, probes }: Facts): readonly string[] {
  const probed = (probes.getIfKnown(calloutId(callout))?.replicas ?? []).length;
  const about = isAdmission(callout) ? ['its rules and selectors'] : [];
  if (!isServiceBacked(callout)) return about;
  const key = keyOf(callout.client.service);
  return [
    ...about,
    ...(services.known(key) ? [`Service ${key}`] : []),
    ...(endpointSlices.known(key) ? ['its EndpointSlices'] : []),
    ...(probed === 0 ? [] : [`probes of ${counted(probed, 'Pod')}`]),
  ];
}

/** A deleted webhook checks nothing: unchecked requests are the same as if it failed open. */
function deleted(
  callout: Callout,
  report: CalloutReport,
  facts: Facts,
  blocked: readonly string[],
): StateChange {
  const { state, effect } = report.verdict;
  const open = { ...report, verdict: { ...report.verdict, state: 'failing', effect: 'fails-open' } } as const;
  const unchecked = isAdmission(callout) ? outageOf([{ callout, report: open }], 'fails-open', facts) : [];
  return {
    callout: calloutId(callout),
    from: state,
    to: 'absent',
    effect: { from: effect, to: 'none' },
    worse: effect === 'none' && unchecked.length > 0,
    because: [],
    blocks: [],
    frees: blocked,
    unchecked: unchecked.map(({ what }) => what),
    restsOn: restsOn(callout, facts),
  };
}

/** Blocking is worse than failing open, and failing open is worse than no effect. */
const effectRank = { none: 0, 'fails-open': 1, blocks: 2 } as const;

function isWorse(from: CalloutReport['verdict'], to: CalloutReport['verdict']): boolean {
  if (to.effect === 'none') return false;
  const states = calloutStates.indexOf(to.state) - calloutStates.indexOf(from.state);
  return states < 0 || effectRank[to.effect] > effectRank[from.effect];
}

/** The error without the time at which the API server verified a certificate: no relevant difference. */
const withoutMoment = (error: string | undefined): string | undefined =>
  error?.replace(/(?<=: current time )\S+/, '');

function changes(before: EvaluatedFacts, after: EvaluatedFacts): readonly StateChange[] {
  const then = byId(after.report.callouts);
  const [blockedBefore, blockedAfter] = [linesOf(before.report.blocked), linesOf(after.report.blocked)];
  const [openBefore, openAfter] = [linesOf(before.report.unchecked), linesOf(after.report.unchecked)];
  const callouts = byId(before.facts.callouts);
  const same = new Set(before.facts.version === after.facts.version ? after.facts.callouts : []);
  return before.report.callouts.flatMap((report): readonly StateChange[] => {
    const id = calloutId(report);
    const callout = callouts.get(id);
    const later = then.get(id);
    if (callout === undefined) return [];
    if (later === undefined)
      return [
        deleted(
          callout,
          report,
          before.facts,
          blockedBefore(id).map(({ what }) => what),
        ),
      ];
    const { verdict: from } = report;
    const { verdict: to } = later;
    const isAlike =
      from.state === to.state &&
      from.effect === to.effect &&
      withoutMoment(from.error) === withoutMoment(to.error);
    const [was, is] = [blockedBefore(id), blockedAfter(id)];
    const blocks = newLines(was, is);
    const frees = is.length === 0 ? was.map(({ what }) => what) : [...widened(is, was)];
    const unchecked = newLines(openBefore(id), openAfter(id));
    // The descriptions may differ because of other webhooks for the same requests.
    if (isAlike && (same.has(callout) || blocks.length + frees.length + unchecked.length === 0)) return [];
    return [
      {
        callout: id,
        from: from.state,
        to: to.state,
        effect: { from: from.effect, to: to.effect },
        worse: isWorse(from, to) || (!same.has(callout) && blocks.length > 0 && to.effect === 'blocks'),
        because: to.because,
        ...(to.error === undefined ? {} : { error: to.error }),
        blocks,
        frees,
        unchecked,
        restsOn: restsOn(callout, after.facts),
      },
    ];
  });
}

const isSerious = ({ severity, causedBy }: FindingReport): boolean =>
  severity !== 'info' && causedBy === undefined;

function newFindings(before: DoctorReport, after: DoctorReport): readonly FindingReport[] {
  const known = new Map(before.findings.map((one) => [one.id, severities.indexOf(one.severity)]));
  return after.findings.filter(
    (one) => isSerious(one) && severities.indexOf(one.severity) < (known.get(one.id) ?? severities.length),
  );
}

/** Compares the reports of two sets of facts. */
export const difference = (
  before: EvaluatedFacts,
  after: EvaluatedFacts,
): Pick<WhatIfReport, 'before' | 'after' | 'changes' | 'findings' | 'resolved'> => {
  const changed = changes(before, after);
  const causes = new Map(changed.map(({ callout, because }) => [callout, because]));
  return {
    before: before.report.summary,
    after: after.report.summary,
    changes: changed,
    // Findings that only explain a failing webhook are listed with it.
    findings: newFindings(before.report, after.report).filter(
      ({ callout = '', check }) => causes.get(callout)?.includes(check) !== true,
    ),
    resolved: newFindings(after.report, before.report).map(({ id }) => id),
  };
};
