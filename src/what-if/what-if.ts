import { failing } from '../apiserver/next-call/call-outcome.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { catalogue } from '../checks/catalogue.ts';
import { buildReport } from '../diagnose/build-report.ts';
import type { CalloutState, DoctorReport } from '../diagnose/report.ts';
import { calloutId, isServiceBacked } from '../facts/callout.ts';
import type { Facts, Snapshot } from '../facts/snapshot.ts';
import { assume } from './assume.ts';
import { type Assumption, noLoss, type PodLoss } from './assumption.ts';
import { difference, type EvaluatedFacts } from './compare.ts';
import { ranking } from './ranking.ts';
import { notBack, recoveryOf } from './recovery.ts';
import { providersOf, type StartUp, startUpOf } from './start-up.ts';
import type { AssumptionReport, WhatIfReport } from './what-if-report.ts';

/** The assumptions of a run. */
export interface Assumptions {
  readonly each: readonly Assumption[];
  /** Every Pod is deleted, and nodes start without Pods. */
  readonly coldStart: boolean;
  /** Ranks the losses of all backends. */
  readonly rank: boolean;
}

/** @param down ids of webhooks whose backends do not respond, whatever the objects show. */
function evaluate(snapshot: Snapshot, facts: Facts, down: ReadonlySet<string>): EvaluatedFacts {
  const foreseen: typeof nextCall = (callout, known) => {
    const next = nextCall(callout, known);
    return down.has(calloutId(callout)) && next.outcome !== 'fails' ? failing('fails', 'network', []) : next;
  };
  const report = buildReport({ ...snapshot, facts }, facts.callouts, catalogue, { foreseen });
  return { facts, report };
}

const inState = ({ report }: EvaluatedFacts, state: CalloutState): ReadonlySet<string> =>
  new Set(report.callouts.filter(({ verdict }) => verdict.state === state).map(calloutId));

/** The starters whose Pods are lost. */
function lostBy(startUp: StartUp, { facts }: EvaluatedFacts, after: Facts): ReadonlySet<string> {
  const isEmpty = ({ endpointSlices }: Facts, key: string): boolean =>
    (endpointSlices.getIfKnown(key) ?? []).every(({ endpoints }) => (endpoints ?? []).length === 0);
  return new Set(
    [...startUp.values()]
      .filter(({ services }) => services.some((key) => isEmpty(after, key) && !isEmpty(facts, key)))
      .map(({ text }) => text),
  );
}

const lossOf = (startUp: StartUp, texts: ReadonlySet<string>): PodLoss => ({
  ...noLoss,
  services: new Set([...texts].flatMap((text) => startUp.get(text)?.services ?? [])),
});

/** Ids of webhooks with a URL whose backends are only these starters. */
function hostedBy(texts: ReadonlySet<string>, facts: Facts): ReadonlySet<string> {
  const providers = providersOf(facts);
  const byUrl = facts.callouts.filter((callout) => !isServiceBacked(callout));
  return new Set(
    byUrl
      .filter(
        (callout) => providers(callout).length > 0 && providers(callout).every((text) => texts.has(text)),
      )
      .map(calloutId),
  );
}

const coldStart: AssumptionReport = {
  assume: 'cold-start',
  text: 'all Pods are lost, and the nodes restart empty',
};
const eachDown: AssumptionReport = { assume: 'down', text: 'one backend at a time has no Pods' };

/**
 * Predicts the effects of assumptions: evaluates the changed facts, and compares the result. Pure.
 *
 * @param report doctor's complete report about the snapshot.
 * @param sameCluster for printed commands, with a leading space.
 */
export function whatIf(
  snapshot: Snapshot,
  report: DoctorReport,
  assumptions: Assumptions,
  sameCluster: string,
): WhatIfReport {
  const { each, rank } = assumptions;
  const before = { facts: snapshot.facts, report };
  const isLoss = (one: Assumption): one is PodLoss => one.assume === 'down';
  // Changed fields and versions apply before anything is lost.
  const configured = each.filter((one) => !isLoss(one)).reduce(assume, snapshot.facts);
  const losses = each.filter(isLoss);
  const remaining = losses.reduce(assume, configured);
  const startUp = startUpOf(configured);
  // The risk register includes the order in which everything would start.
  const lost =
    assumptions.coldStart || rank
      ? new Set(startUp.keys())
      : lostBy(startUp, { ...before, facts: configured }, remaining);
  const unchanged = configured === snapshot.facts ? before : evaluate(snapshot, configured, new Set());
  const recovery =
    lost.size === 0
      ? undefined
      : recoveryOf({
          startUp,
          lost,
          failing: inState(unchanged, 'failing'),
          unknown: inState(unchanged, 'unknown'),
          sameCluster,
        });
  const never = recovery === undefined ? new Set<string>() : notBack(recovery);
  const facts = assumptions.coldStart ? assume(remaining, lossOf(startUp, never)) : remaining;
  const gone = assumptions.coldStart
    ? hostedBy(never, facts)
    : new Set(losses.flatMap(({ callouts }) => [...callouts]));
  const after = facts === configured && gone.size === 0 ? unchanged : evaluate(snapshot, facts, gone);
  return {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'WhatIfReport',
    takenAt: before.report.takenAt,
    cluster: before.report.cluster,
    assume: [
      ...each.map(({ assume: kind, text }) => ({ assume: kind, text })),
      ...(assumptions.coldStart ? [coldStart] : []),
      ...(rank ? [eachDown] : []),
    ],
    ...difference(before, after),
    ...(recovery === undefined ? {} : { recovery }),
    ...(rank ? { ranking: ranking(unchanged, startUp) } : {}),
    notLookedAt: before.report.notLookedAt,
  };
}
