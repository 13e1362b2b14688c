import { failing } from '../apiserver/next-call/call-outcome.ts';
import { nextCall } from '../apiserver/next-call/next-call.ts';
import { backends, usableBehind } from '../apiserver/routing/backends.ts';
import { catalogue } from '../checks/catalogue.ts';
import type { OutageLine } from '../diagnose/broken-callout.ts';
import { buildReport } from '../diagnose/build-report.ts';
import { byRank } from '../diagnose/cause.ts';
import { impactReport } from '../diagnose/impact-report.ts';
import { breadth, outageLinesOf } from '../diagnose/outage.ts';
import { type CalloutReport, type CalloutState, type DoctorReport, effects } from '../diagnose/report.ts';
import { verdictOf } from '../diagnose/verdict-of.ts';
import { byId, type Callout, calloutId, isAdmission, isServiceBacked } from '../facts/callout.ts';
import { groupBy } from '../facts/collections.ts';
import { keyOf } from '../facts/objects.ts';
import type { Facts, Snapshot } from '../facts/snapshot.ts';
import { assume } from './assume.ts';
import { type Assumption, noLoss, type PodLoss } from './assumption.ts';
import { difference, type EvaluatedFacts } from './compare.ts';
import { notBack, recoveryOf } from './recovery.ts';
import { providersOf, type Starter, type StartUp, startUpOf } from './start-up.ts';
import type { AssumptionReport, RankedLoss, WhatIfReport } from './what-if-report.ts';

/** The key of a backend: `Service shop/policy`, or the URL. */
const backendText = ({ client: { service, url = '' } }: Callout): string =>
  service === undefined ? url : `Service ${keyOf(service)}`;

/** The webhook if its backend does not respond. */
function down(callout: Callout, report: CalloutReport, facts: Facts) {
  const verdict = verdictOf(callout, [], failing('fails', 'backend', []), facts);
  const impact =
    verdict.effect === 'blocks' && isAdmission(callout)
      ? { impact: impactReport(callout, false, facts) }
      : {};
  return { callout, report: { ...report, verdict, ...impact } };
}

/** Number of endpoints per Service that accept connections now. */
function readyBehind(facts: Facts): ReadonlyMap<string, number> {
  return new Map(
    backends(facts)
      .filter(({ key }) => facts.endpointSlices.known(key))
      .map((backend) => [backend.key, usableBehind(backend, facts).length]),
  );
}

/** Starters that depend on a webhook, by its id: certainly, and possibly. */
function waitingFor(
  startUp: StartUp,
): ReadonlyMap<string, { readonly sure: Set<Starter>; readonly open: Set<Starter> }> {
  const found = new Map<string, { sure: Set<Starter>; open: Set<Starter> }>();
  for (const starter of startUp.values())
    for (const { webhooks, sure } of starter.waitsFor())
      for (const webhook of webhooks) {
        const id = calloutId(webhook);
        const sets = found.get(id) ?? { sure: new Set(), open: new Set() };
        found.set(id, sets);
        sets[sure ? 'sure' : 'open'].add(starter);
      }
  return found;
}

/** The rank of the widest outage; the last one without an outage. */
const widestOf = ([widest]: readonly OutageLine[]): readonly number[] =>
  widest === undefined ? [Number.POSITIVE_INFINITY] : breadth(widest);

/**
 * Ranks the loss of each single backend, the worst first: backends that cannot recover by themselves before
 * others, and effects on the cluster itself before those on users.
 */
function ranking({ facts, report }: EvaluatedFacts, startUp: StartUp): readonly RankedLoss[] {
  const reports = byId(report.callouts);
  const ready = readyBehind(facts);
  const waiting = waitingFor(startUp);
  const owners = groupBy(
    [...startUp.values()].flatMap((one) => one.services.map((key) => [key, one] as const)),
    ([key]) => key,
  );
  const ranked = [...groupBy(facts.callouts, backendText)].map(([backend, callouts]) => {
    const lost = callouts.flatMap((callout) => {
      const of = reports.get(calloutId(callout));
      return of === undefined ? [] : [down(callout, of, facts)];
    });
    const blocks = outageLinesOf(lost, 'blocks', facts);
    const unchecked = outageLinesOf(lost, 'fails-open', facts);
    const key = backend.replace(/^Service /, '');
    const own = (owners.get(key) ?? []).map(([, starter]) => starter);
    const [sure, open] = (['sure', 'open'] as const).map(
      (sort) => new Set(callouts.flatMap((callout) => [...(waiting.get(calloutId(callout))?.[sort] ?? [])])),
    ) as [Set<Starter>, Set<Starter>];
    const comesBack: RankedLoss['comesBack'] = own.some((one) => sure.has(one) || !one.starts)
      ? 'no'
      : own.length === 0 || own.some((one) => open.has(one))
        ? 'unknown'
        : 'yes';
    const extents = lost.flatMap(({ report: { impact } }) => impact?.namespaces ?? []);
    const [widest] = extents.sort((a, b) => b.covered - a.covered);
    const loss = {
      backend,
      callouts: callouts.map(calloutId),
      effect: blocks.length > 0 ? 'blocks' : unchecked.length > 0 ? 'fails-open' : 'none',
      ...(ready.has(key) ? { ready: ready.get(key) ?? 0 } : {}),
      failing: lost.every((one) => reports.get(calloutId(one.callout))?.verdict.state === 'failing'),
      blocks: blocks.map(({ what }) => what),
      unchecked: unchecked.map(({ what }) => what),
      ...(widest === undefined ? {} : { namespaces: widest }),
      stops: [...sure].filter((one) => !own.includes(one)).map(({ text }) => text),
      comesBack,
    } as const satisfies Omit<RankedLoss, 'rank'>;
    const stuck = loss.effect === 'blocks' && comesBack === 'no' ? 1 : 0;
    return {
      loss,
      score: [
        effects.indexOf(loss.effect),
        -stuck,
        ...widestOf(blocks.length > 0 ? blocks : unchecked),
        -loss.stops.length,
        -blocks.length - unchecked.length,
      ],
    };
  });
  return ranked.sort(byRank(({ score }) => score)).map(({ loss }, at) => ({ rank: at + 1, ...loss }));
}

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
 * @param flags for printed commands, with a leading space.
 */
export function whatIf(
  snapshot: Snapshot,
  report: DoctorReport,
  assumptions: Assumptions,
  flags: string,
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
          flags,
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
