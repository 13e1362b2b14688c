import { failing } from '../apiserver/next-call/call-outcome.ts';
import { backends, usableBehind } from '../apiserver/routing/backends.ts';
import { byRank, defined, groupBy } from '../basics/collections.ts';
import type { OutageLine } from '../diagnose/outage/broken-callout.ts';
import { breadth, outageLinesOf, requestsFirst } from '../diagnose/outage/outage.ts';
import { type CalloutReport, effects } from '../diagnose/report.ts';
import { impactReport } from '../diagnose/verdict/impact-report.ts';
import { verdictOf } from '../diagnose/verdict/verdict-of.ts';
import { byId, type Callout, calloutId, isAdmission } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { EvaluatedFacts } from './compare.ts';
import type { StartingWorkload, StartUp } from './start-up.ts';
import type { RankedLoss } from './what-if-report.ts';

/** The key of a backend: `Service shop/policy`, or the URL. */
const backendText = ({ client: { service, url = '' } }: Callout): string =>
  service === undefined ? url : `Service ${keyOf(service)}`;

/** The webhook if its backend does not respond. */
function down(callout: Callout, report: CalloutReport, facts: Facts) {
  const verdict = verdictOf(callout, [], failing('fails', 'backend', []), facts);
  const impact =
    verdict.effect === 'blocks' && isAdmission(callout) ? { impact: impactReport(callout, [], facts) } : {};
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
): ReadonlyMap<string, { readonly sure: Set<StartingWorkload>; readonly open: Set<StartingWorkload> }> {
  const found = new Map<string, { sure: Set<StartingWorkload>; open: Set<StartingWorkload> }>();
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
export function ranking({ facts, report }: EvaluatedFacts, startUp: StartUp): readonly RankedLoss[] {
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
    const { service: reference } = callouts[0].client;
    const service = reference && keyOf(reference);
    const key = service ?? backend;
    const own = (owners.get(key) ?? []).map(([, starter]) => starter);
    const [sure, open] = (['sure', 'open'] as const).map(
      (sort) => new Set(callouts.flatMap((callout) => [...(waiting.get(calloutId(callout))?.[sort] ?? [])])),
    ) as [Set<StartingWorkload>, Set<StartingWorkload>];
    const isStuck = own.some((one) => sure.has(one) || !one.starts);
    const unstuck = own.length === 0 || own.some((one) => open.has(one)) ? 'unknown' : 'yes';
    const comesBack = isStuck ? 'no' : unstuck;
    const unblocked = unchecked.length > 0 ? 'fails-open' : 'none';
    const extents = lost.flatMap(({ report: { impact } }) => impact?.namespaces ?? []);
    const [widest] = extents.sort((a, b) => b.covered - a.covered);
    const loss = {
      backend,
      ...defined({ service }),
      callouts: callouts.map(calloutId),
      effect: blocks.length > 0 ? 'blocks' : unblocked,
      ...(ready.has(key) ? { ready: ready.get(key) ?? 0 } : {}),
      failing: lost.every((one) => reports.get(calloutId(one.callout))?.verdict.state === 'failing'),
      blocks: blocks.toSorted(requestsFirst).map(({ what }) => what),
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
