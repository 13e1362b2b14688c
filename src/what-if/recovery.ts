import { cycleThrough } from '../apiserver/deadlock/dependency-cycles.ts';
import { type AdmissionCallout, calloutId } from '../facts/callout.ts';
import { shellWord } from '../phrases/advice.ts';
import type { Dependency, StartingWorkload, StartUp } from './start-up.ts';
import type { DependencyReport, RecoveryReport, StuckReport } from './what-if-report.ts';

/** The state in which a recovery starts. */
export interface InitialState {
  readonly startUp: StartUp;
  /** Names of starters without Pods; all others run. */
  readonly lost: ReadonlySet<string>;
  /** Ids of webhooks that fail whether or not their Pods run. */
  readonly failing: ReadonlySet<string>;
  /** Ids of webhooks for which it is unknown whether they respond. */
  readonly unknown: ReadonlySet<string>;
  /** Flags for printed commands, with a leading space. */
  readonly sameCluster: string;
}

/** Ids of webhooks that are assumed to admit requests while they fail. */
type Opened = ReadonlySet<string>;

type IsAvailable = (dependency: Dependency) => boolean;

const shutOf = ({ webhooks }: Dependency, opened: Opened): readonly AdmissionCallout[] =>
  webhooks.filter((webhook) => !opened.has(calloutId(webhook)));

/** What a webhook that may respond, or a dependency that may exist, counts as. */
type Uncertain = 'available' | 'missing';

function isAvailable(
  up: ReadonlySet<string>,
  { startUp, failing, unknown }: InitialState,
  opened: Opened,
  uncertain: Uncertain = 'available',
): IsAvailable {
  return (dependency) => {
    const { webhooks, providers } = dependency;
    const shut = shutOf(dependency, opened);
    if (webhooks.length > 0 && shut.length === 0) return true;
    if (shut.some((webhook) => failing.has(calloutId(webhook)))) return false;
    if (uncertain === 'missing' && shut.some((webhook) => unknown.has(calloutId(webhook)))) return false;
    return providers.length === 0 || providers.some((text) => up.has(text) || !startUp.has(text));
  };
}

/** Rounds of starts: each contains the starters whose dependencies are available after the previous rounds. */
function roundsOf(
  beginning: InitialState,
  opened: Opened,
  uncertain: Uncertain,
): readonly (readonly StartingWorkload[])[] {
  const { startUp, lost } = beginning;
  const up = new Set(
    [...startUp.values()].filter(({ text, starts }) => starts && !lost.has(text)).map(({ text }) => text),
  );
  const rounds: StartingWorkload[][] = [];
  let waiting = [...startUp.values()].filter(({ text, starts }) => starts && lost.has(text));
  for (;;) {
    const isMet = isAvailable(up, beginning, opened, uncertain);
    const ready = waiting.filter(({ waitsFor }) =>
      waitsFor().every((one) => (uncertain === 'available' && !one.sure) || isMet(one)),
    );
    if (ready.length === 0) return rounds;
    rounds.push(ready);
    for (const { text } of ready) up.add(text);
    waiting = waiting.filter(({ text }) => !up.has(text));
  }
}

const textsOf = (rounds: readonly (readonly StartingWorkload[])[]): ReadonlySet<string> =>
  new Set(rounds.flat().map(({ text }) => text));

/** Starters that never start, even if all unknown labels and conditions are favourable. */
function stuckOf(beginning: InitialState, opened: Opened): readonly StartingWorkload[] {
  const started = textsOf(roundsOf(beginning, opened, 'available'));
  const { startUp, lost } = beginning;
  return [...startUp.values()].filter(({ text, starts }) => starts && lost.has(text) && !started.has(text));
}

interface Cycle {
  readonly members: readonly StartingWorkload[];
  /** The dependency of each member on the next one. */
  readonly needs: readonly Dependency[];
}

/** The shortest cycle among stuck starters; without one, a single starter that needs a broken webhook. */
function cycleAmong(
  stuck: readonly StartingWorkload[],
  beginning: InitialState,
  opened: Opened,
): Cycle | undefined {
  const names = new Map(stuck.map((one) => [one.text, one]));
  const isMet = isAvailable(
    new Set([...beginning.startUp.keys()].filter((text) => !names.has(text))),
    beginning,
    opened,
  );
  const needs = ({ waitsFor }: StartingWorkload, provider: string): Dependency | undefined =>
    waitsFor().find((one) => one.sure && !isMet(one) && one.providers.includes(provider));
  const cycles = stuck.flatMap((one): readonly Cycle[] => {
    const itself = needs(one, one.text);
    if (itself !== undefined) return [{ members: [one], needs: [itself] }];
    const path = cycleThrough(one.text, [...names.keys()], (from, to) => {
      const starter = names.get(from);
      return starter !== undefined && needs(starter, to) !== undefined;
    });
    const members = (path ?? []).flatMap((text) => names.get(text) ?? []);
    const found = members.flatMap(
      (member, at) => needs(member, members[(at + 1) % members.length]?.text ?? '') ?? [],
    );
    return path === undefined ? [] : [{ members, needs: found }];
  });
  const [shortest] = cycles.sort((a, b) => a.members.length - b.members.length);
  if (shortest !== undefined) return shortest;
  const [broken] = stuck.flatMap((one) => {
    const need = one.waitsFor().find((dependency) => dependency.sure && !isMet(dependency));
    return need === undefined ? [] : [{ members: [one], needs: [need] }];
  });
  return broken;
}

const configurationOf = ({ kind, configuration }: AdmissionCallout): string => `${kind}/${configuration}`;

/**
 * The webhooks to make fail open: one, all of a configuration, or all that the members depend on. Returns the
 * first choice that lets the most members start.
 */
function opener(
  { members, needs }: Cycle,
  stuck: readonly StartingWorkload[],
  beginning: InitialState,
  opened: Opened,
): { readonly ids: readonly string[]; readonly commands: readonly string[] } | undefined {
  const all = stuck.flatMap(({ waitsFor }) => waitsFor().flatMap(({ webhooks: these }) => these));
  const webhooks = [...new Set(needs.flatMap((need) => shutOf(need, opened)))];
  const inWay = [
    ...new Set(members.flatMap(({ waitsFor }) => waitsFor().flatMap((need) => shutOf(need, opened)))),
  ];
  const idsIn = (names: readonly string[]): readonly string[] => [
    ...new Set(all.filter((one) => names.includes(configurationOf(one))).map(calloutId)),
  ];
  const configurations = [...new Set(webhooks.map(configurationOf))];
  const everything = [...new Set(inWay.map(configurationOf))];
  const candidates = [
    ...webhooks.map((one) => ({ ids: [calloutId(one)], commands: [calloutId(one)] })),
    ...configurations.map((name) => ({ ids: idsIn([name]), commands: [name] })),
    { ids: idsIn(everything), commands: everything },
  ].map((candidate) => ({
    ...candidate,
    left: stuckOf(beginning, new Set([...opened, ...candidate.ids])).length,
  }));
  const [best] = candidates
    .filter(({ left }) => left < stuck.length)
    .sort((a, b) => a.commands.length - b.commands.length || a.left - b.left || a.ids.length - b.ids.length);
  return best;
}

/** The maximum number of deadlocks to distinguish. */
const mostCycles = 20;

function stuckReports(beginning: InitialState): readonly StuckReport[] {
  const reports: StuckReport[] = [];
  const opened = new Set<string>();
  let stuck = stuckOf(beginning, opened);
  while (stuck.length > 0 && reports.length < mostCycles) {
    const cycle = cycleAmong(stuck, beginning, opened);
    if (cycle === undefined) break;
    const { members, needs } = cycle;
    const opens = opener(cycle, stuck, beginning, opened);
    for (const id of opens?.ids ?? []) opened.add(id);
    const left = opens === undefined ? [] : stuckOf(beginning, opened);
    const freed = stuck.filter((one) => !left.includes(one) && !members.includes(one));
    const isStillFailing = ({ webhooks, providers }: Dependency): boolean =>
      webhooks.some((webhook) => beginning.failing.has(calloutId(webhook))) &&
      !members.some(({ text }) => providers.includes(text));
    reports.push({
      cycle: members.map(({ text }, at) => {
        const need = needs[at];
        const [webhook] = need?.webhooks ?? [];
        return {
          workload: text,
          needs: need?.what ?? '',
          ...(webhook === undefined ? {} : { webhook: calloutId(webhook) }),
          ...(need !== undefined && isStillFailing(need) ? { fails: true as const } : {}),
        };
      }),
      waiting: (opens === undefined ? stuck.filter((one) => !members.includes(one)) : freed).map(
        ({ text }) => text,
      ),
      ...(opens === undefined
        ? {}
        : {
            opens: opens.commands
              .map((name) => `kubectl webhook failopen ${shellWord(name)}${beginning.sameCluster}`)
              .join(' && '),
          }),
    });
    if (opens === undefined) break;
    stuck = left;
  }
  return reports;
}

/**
 * The recovery of lost workloads by their controllers alone: rounds of starts; workloads that never start,
 * with the change that helps; and workloads for which it is unknown.
 */
export function recoveryOf(beginning: InitialState): RecoveryReport {
  const order = roundsOf(beginning, new Set(), 'missing');
  const sure = textsOf(order);
  const never = new Set(stuckOf(beginning, new Set()).map(({ text }) => text));
  const lost = [...beginning.startUp.values()].filter(({ text }) => beginning.lost.has(text));
  const unknown = lost.filter(({ text, starts }) => starts && !sure.has(text) && !never.has(text));
  return {
    order: order.map((round) => round.map(({ text }) => text)),
    stuck: stuckReports(beginning),
    notRecreated: lost
      .filter(({ starts, services }) => !starts && services.length > 0)
      .map(({ text }) => text),
    unknown: unknown.map(({ text, waitsFor }) => {
      const isDoubtful = ({ sure: isSure, webhooks }: Dependency): boolean =>
        !isSure || webhooks.some((one) => beginning.unknown.has(calloutId(one)));
      const open = waitsFor().find(isDoubtful);
      const [webhook] = open?.webhooks ?? [];
      return {
        workload: text,
        ...(open === undefined || webhook === undefined
          ? {}
          : { needs: open.what, webhook: calloutId(webhook) }),
      };
    }),
    dependencies: dependenciesOf(lost),
  };
}

const mostDependencies = 300;

/** The maximum number in a picture. */
function dependenciesOf(starters: readonly StartingWorkload[]): readonly DependencyReport[] {
  const found: DependencyReport[] = [];
  for (const { text, waitsFor, starts } of starters)
    for (const { webhooks, providers, what, sure } of starts ? waitsFor() : [])
      for (const on of sure ? providers.slice(0, 1) : []) {
        if (found.length === mostDependencies) return found;
        const [webhook] = webhooks;
        found.push({
          workload: text,
          on,
          needs: what,
          ...(webhook === undefined ? {} : { webhook: calloutId(webhook) }),
        });
      }
  return found;
}

/** Names of starters that certainly do not run after everything that can start has started. */
export const notBack = ({ stuck, notRecreated }: RecoveryReport): ReadonlySet<string> =>
  new Set([
    ...stuck.flatMap(({ cycle, waiting }) => [...cycle.map(({ workload }) => workload), ...waiting]),
    ...notRecreated,
  ]);
