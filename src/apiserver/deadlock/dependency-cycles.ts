import { derive } from '../../basics/derive.ts';
import type { Callout } from '../../facts/callout.ts';
import { selectsPod } from '../../facts/objects/label-selector.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Backend, backends, hasSelector, usableBehind } from '../routing/backends.ts';
import {
  type GuardingBackend,
  guardingBackends,
  type NeedFacts,
  needFacts,
  type RequiredWebhook,
} from './backend-needs.ts';

/** True if a Pod of `one` can serve only after `other` responds. */
type Needs = (one: string, other: string) => boolean;

/** The path from `first` to `last`, by the predecessor of each node. */
function pathTo(last: string, first: string, reachedFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [last];
  for (let at = last; at !== first; ) {
    at = reachedFrom.get(at) ?? first;
    path.push(at);
  }
  return path.reverse();
}

/**
 * Finds the shortest cycle of two or more through `one`: each needs the next, and the last needs the first.
 * Undefined if there is none. Most cycles are pairs, which are found first.
 */
export function cycleThrough(
  one: string,
  all: readonly string[],
  needs: Needs,
): readonly string[] | undefined {
  const others = all.filter((other) => other !== one);
  const pair = others.find((other) => needs(one, other) && needs(other, one));
  if (pair !== undefined) return [one, pair];
  const reachedFrom = new Map<string, string>();
  const queue = [one];
  for (const at of queue) {
    if (at !== one && needs(at, one)) return pathTo(at, one, reachedFrom);
    for (const other of others) {
      if (other === at || reachedFrom.has(other) || !needs(at, other)) continue;
      reachedFrom.set(other, at);
      queue.push(other);
    }
  }
  return undefined;
}

/** Backends in a dependency cycle: each one's Pods need a webhook of the next, and the last of the first. */
export interface DependencyCycle {
  readonly members: readonly GuardingBackend[];
  /** What each member needs of the next one. */
  readonly needs: readonly RequiredWebhook[];
  /** None of them has a replica. */
  readonly isDown: boolean;
}

type CycleFacts = NeedFacts & Pick<Facts, 'endpointSlices' | 'routing'>;

function cycleOf(
  path: readonly string[],
  all: ReadonlyMap<string, GuardingBackend>,
  isDown: boolean,
): DependencyCycle {
  const members = path.flatMap((id) => all.get(id) ?? []);
  const needs = members.flatMap(
    ({ serving }, at) => members[(at + 1) % members.length]?.neededBy(serving.pod) ?? [],
  );
  return { members, needs, isDown };
}

/** Repeatedly removes backends that need none or that none needs: only the rest can be in a cycle. */
function betweenOthers(all: readonly string[], needs: Needs): readonly string[] {
  const left = all.filter(
    (one) =>
      all.some((other) => other !== one && needs(one, other)) &&
      all.some((other) => other !== one && needs(other, one)),
  );
  return left.length === all.length ? all : betweenOthers(left, needs);
}

/** The dependencies between backends whose webhooks may block Pods, and those that can be in a cycle. */
const needGraph = derive(needFacts, (facts: NeedFacts) => {
  const all = new Map(guardingBackends(facts).map((one) => [one.id, one]));
  const needs: Needs = (one, other) => {
    const waiting = all.get(one);
    return waiting !== undefined && all.get(other)?.neededBy(waiting.serving.pod) !== undefined;
  };
  return { all, needs, everyone: all.size < 2 ? [] : betweenOthers([...all.keys()], needs) };
});

/** A cycle through each backend that is in one; cycles of backends without replicas are preferred. */
function cycles(facts: CycleFacts, own: readonly Backend[]): readonly DependencyCycle[] {
  const { all, needs, everyone } = needGraph(facts);
  if (everyone.length === 0) return [];
  const services = new Set([...all.values()].map(({ service }) => service));
  const down = new Set(
    own
      .filter(({ key, service }) => services.has(service) && facts.endpointSlices.known(key))
      .filter((backend) => usableBehind(backend, facts).length === 0)
      .map(({ service }) => service),
  );
  const isDown = (one: GuardingBackend | undefined): boolean => one !== undefined && down.has(one.service);
  const dead = everyone.filter((id) => isDown(all.get(id)));
  return everyone.flatMap((id) => {
    const downPath = dead.includes(id) ? cycleThrough(id, dead, needs) : undefined;
    const path = downPath ?? cycleThrough(id, everyone, needs);
    return path === undefined ? [] : [cycleOf(path, all, downPath !== undefined)];
  });
}

/** A backend that is in a cycle, and that cycle. */
export interface BackendInCycle extends Backend {
  readonly cycle: DependencyCycle;
}

/**
 * Callouts of backends in a cycle: the one that is part of the cycle; if all backends are down, every callout
 * of the backend, because none of them can recover.
 */
export function backendsInCycles(facts: CycleFacts): readonly BackendInCycle[] {
  const own = backends(facts).filter(hasSelector);
  const found = cycles(facts, own);
  const down = found.filter(({ isDown }) => isDown);
  const through = new Map<Callout | undefined, DependencyCycle>(
    found.map((cycle) => [cycle.needs.at(-1)?.webhook, cycle]),
  );
  return own.flatMap((backend): readonly BackendInCycle[] => {
    const serves = ({ members: [first] }: DependencyCycle): boolean =>
      first !== undefined && selectsPod(backend.service, first.serving.pod);
    const cycle = down.find(serves) ?? through.get(backend.callout);
    return cycle === undefined ? [] : [{ ...backend, cycle }];
  });
}
