import { ringThrough } from '../../apiserver/bootstrap-cycles.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { selects } from '../../facts/workloads.ts';
import { type Backend, backends, hasSelector, usableBehind } from '../backends.ts';
import { backendNeeds, type Need, type NeedyBackend } from './backend-needs.ts';

/** Backends of which each must have a webhook of the next one answer before its Pods serve; the last needs the first. */
export interface Ring {
  readonly members: readonly NeedyBackend[];
  /** What each member needs of the next one. */
  readonly needs: readonly Need[];
  /** None of them has a replica. */
  readonly isDown: boolean;
}

export type RingFacts = Pick<
  Facts,
  'callouts' | 'services' | 'workloads' | 'namespaces' | 'served' | 'endpointSlices' | 'routing'
>;

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function ringOf(way: readonly string[], all: ReadonlyMap<string, NeedyBackend>, isDown: boolean): Ring {
  const members = way.flatMap((id) => all.get(id) ?? []);
  const needs = members.flatMap((member, at) => {
    const next = members[(at + 1) % members.length];
    return next === undefined ? [] : (member.needs.get(next.id) ?? []);
  });
  return { members, needs, isDown };
}

const graphOf = (members: readonly NeedyBackend[]): Graph => {
  const ids = new Set(members.map(({ id }) => id));
  return new Map(
    members.map(({ id, needs }) => [id, new Set([...needs.keys()].filter((other) => ids.has(other)))]),
  );
};

/** A ring through each backend that is in one, of backends without a replica where there is such a one. */
function rings(facts: RingFacts, own: readonly Backend[]): readonly Ring[] {
  const needy = backendNeeds(facts).filter(({ needs }) => needs.size > 0);
  const all = new Map(needy.map((one) => [one.id, one]));
  const down = new Set(
    own
      .filter(({ key }) => facts.endpointSlices.known(key))
      .filter((backend) => usableBehind(backend, facts).length === 0)
      .map(({ service }) => service),
  );
  const dead = graphOf(needy.filter(({ service }) => down.has(service)));
  const everyone = graphOf(needy);
  return needy.flatMap(({ id }) => {
    const deadWay = dead.has(id) ? ringThrough(id, dead) : undefined;
    const way = deadWay ?? ringThrough(id, everyone);
    return way === undefined ? [] : [ringOf(way, all, deadWay !== undefined)];
  });
}

export interface BackendInRing extends Backend {
  readonly ring: Ring;
}

/**
 * Callouts of backends in a ring: the one through which the ring runs, and while all are down every callout of the
 * backend, since none of them will answer again.
 */
export function backendsInRings(facts: RingFacts): readonly BackendInRing[] {
  const own = backends(facts).filter(hasSelector);
  const found = rings(facts, own);
  if (found.length === 0) return [];
  return own.flatMap((backend): readonly BackendInRing[] => {
    const ring = found.find(({ members, needs, isDown }) => {
      const pod = members[0]?.serving.pod;
      const isServed =
        backend.namespace === pod?.namespace && selects(backend.service.spec.selector, pod.labels);
      return isServed && (isDown || needs.at(-1)?.webhook === backend.callout);
    });
    return ring === undefined ? [] : [{ ...backend, ring }];
  });
}
