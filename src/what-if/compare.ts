import { severities } from '../checks/check.ts';
import { outageOf } from '../diagnose/outage.ts';
import {
  type CalloutReport,
  calloutStates,
  type DoctorReport,
  type FindingReport,
  type OutageReport,
} from '../diagnose/report.ts';
import { type Callout, calloutId, isAdmission, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';
import { counted } from '../phrases/numbers.ts';
import type { StateChange, WhatIfReport } from './what-if-report.ts';

/** One world and what doctor says of it. */
export interface JudgedWorld {
  readonly facts: Facts;
  readonly report: DoctorReport;
}

const byId = (callouts: readonly CalloutReport[]): ReadonlyMap<string, CalloutReport> =>
  new Map(callouts.map((one) => [calloutId(one), one]));

const lineKey = ({ what, which, callouts }: OutageReport): string => JSON.stringify([what, which, callouts]);

/** What each callout blocks, or lets pass, afterwards and did not before: by its id. */
function newLines(
  before: readonly OutageReport[],
  after: readonly OutageReport[],
): ReadonlyMap<string, readonly string[]> {
  const known = new Set(before.map(lineKey));
  const lines = new Map<string, string[]>();
  for (const line of after.filter((one) => !known.has(lineKey(one))))
    for (const id of line.callouts) lines.set(id, [...(lines.get(id) ?? []), line.what]);
  return lines;
}

/** The objects and probes that decide what becomes of a callout. */
export function restsOn(callout: Callout, { endpointSlices, services, probes }: Facts): readonly string[] {
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

/** A deleted webhook checks nothing any more: what passes is what it would let pass if it failed open. */
function deleted(callout: Callout, report: CalloutReport, facts: Facts): StateChange {
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
    unchecked: unchecked.map(({ what }) => what),
    restsOn: restsOn(callout, facts),
  };
}

/** Blocking is worse than failing open, and both are worse than no effect. */
const effectRank = { none: 0, 'fails-open': 1, blocks: 2 } as const;

function isWorse(from: CalloutReport['verdict'], to: CalloutReport['verdict']): boolean {
  if (to.effect === 'none') return false;
  const states = calloutStates.indexOf(to.state) - calloutStates.indexOf(from.state);
  return states < 0 || effectRank[to.effect] > effectRank[from.effect];
}

function changes(before: JudgedWorld, after: JudgedWorld): readonly StateChange[] {
  const then = byId(after.report.callouts);
  const blocks = newLines(before.report.blocked, after.report.blocked);
  const unchecked = newLines(before.report.unchecked, after.report.unchecked);
  const callouts = new Map(before.facts.callouts.map((callout) => [calloutId(callout), callout]));
  return before.report.callouts.flatMap((report): readonly StateChange[] => {
    const id = calloutId(report);
    const callout = callouts.get(id);
    const later = then.get(id);
    if (callout === undefined) return [];
    if (later === undefined) return [deleted(callout, report, before.facts)];
    const { verdict: from } = report;
    const { verdict: to } = later;
    if (from.state === to.state && from.effect === to.effect && from.error === to.error) return [];
    return [
      {
        callout: id,
        from: from.state,
        to: to.state,
        effect: { from: from.effect, to: to.effect },
        worse: isWorse(from, to),
        because: to.because,
        ...(to.error === undefined ? {} : { error: to.error }),
        blocks: blocks.get(id) ?? [],
        unchecked: unchecked.get(id) ?? [],
        restsOn: restsOn(callout, after.facts),
      },
    ];
  });
}

const isSerious = ({ severity, causedBy }: FindingReport): boolean =>
  severity !== 'info' && causedBy === undefined;

/** Findings of one report that the other does not have, or has less severely. */
function newFindings(before: DoctorReport, after: DoctorReport): readonly FindingReport[] {
  const known = new Map(before.findings.map((one) => [one.id, severities.indexOf(one.severity)]));
  return after.findings.filter(
    (one) => isSerious(one) && severities.indexOf(one.severity) < (known.get(one.id) ?? severities.length),
  );
}

/** What changes between two worlds. */
export const difference = (
  before: JudgedWorld,
  after: JudgedWorld,
): Pick<WhatIfReport, 'before' | 'after' | 'changes' | 'findings' | 'resolved'> => {
  const changed = changes(before, after);
  const causes = new Map(changed.map(({ callout, because }) => [callout, because]));
  return {
    before: before.report.summary,
    after: after.report.summary,
    changes: changed,
    // What only says why a webhook fails stands there.
    findings: newFindings(before.report, after.report).filter(
      ({ callout = '', check }) => causes.get(callout)?.includes(check) !== true,
    ),
    resolved: newFindings(after.report, before.report).map(({ id }) => id),
  };
};
