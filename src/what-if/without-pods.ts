import { calloutId, serviceKeyOf } from '../facts/callout.ts';
import { type Lookup, lookup } from '../facts/lookup.ts';
import { keyOf } from '../facts/object-ref.ts';
import { type Endpoint, type EndpointSlice, endpointsIn } from '../facts/objects/endpoint-slice.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { CalloutProbes } from '../facts/probes.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { PodLoss } from './assumption.ts';

const namespaceIn = (key: string): string => key.split('/', 1)[0] ?? '';

/** `namespace/name` of the Pod behind an endpoint. */
const podKey = ({ targetRef }: Endpoint, serviceKey: string): string | undefined =>
  targetRef?.kind === 'Pod' && targetRef.name !== undefined
    ? keyOf({ namespace: targetRef.namespace ?? namespaceIn(serviceKey), name: targetRef.name })
    : undefined;

/** A lookup with some values replaced; the others are the same objects. */
function replaced<V>(given: Lookup<V>, replace: (value: V, key: string) => V | undefined): Lookup<V> {
  const keys = new Map(given.gaps.keys);
  const entries: [string, V][] = [];
  let same = true;
  for (const [key, value] of given.entries()) {
    const other = replace(value, key);
    if (other !== value) same = false;
    if (other === undefined) keys.set(key, undefined);
    else entries.push([key, other]);
  }
  return same ? given : lookup(new Map(entries), { ...given.gaps, keys });
}

/** All lost Pods: named ones, and those of lost Services and nodes. */
function lostPods(
  { endpointSlices, pods }: Facts,
  { services, nodes, pods: named }: PodLoss,
): ReadonlySet<string> {
  const lost = new Set(named);
  for (const [key, slices] of endpointSlices.entries())
    for (const endpoint of endpointsIn(slices)) {
      const pod = podKey(endpoint, key);
      if (pod !== undefined && (services.has(key) || nodes.has(endpoint.nodeName ?? ''))) lost.add(pod);
    }
  for (const [key, all] of pods.entries())
    for (const { metadata, spec } of all)
      if (services.has(key) || nodes.has(spec.nodeName ?? '')) lost.add(keyOf(metadata));
  return lost;
}

/** Removes results of the API server's own calls: they were made to backends that no longer exist. */
function withoutReplicas(
  { level, serverName, replicas, notTried, url }: CalloutProbes,
  isLost: (pod: string | undefined) => boolean,
): CalloutProbes {
  return {
    level,
    serverName,
    replicas: replicas.filter(({ pod }) => !isLost(pod)),
    ...(url === undefined ? {} : { url }),
    notTried,
  };
}

/**
 * The facts of the same cluster without some Pods, before they are replaced: their endpoints, objects and
 * probes are removed, all other facts are unchanged.
 */
export function withoutPods(facts: Facts, loss: PodLoss): Facts {
  const lost = lostPods(facts, loss);
  const isLost =
    (key: string) =>
    (endpoint: Endpoint): boolean =>
      loss.services.has(key) ||
      loss.nodes.has(endpoint.nodeName ?? '') ||
      lost.has(podKey(endpoint, key) ?? '');
  const affected = new Set<string>(loss.services);
  const endpointSlices = replaced(facts.endpointSlices, (slices, key) => {
    const gone = isLost(key);
    if (!slices.some(({ endpoints }) => endpoints?.some(gone))) return slices;
    affected.add(key);
    return slices.map(
      (slice): EndpointSlice => ({
        ...slice,
        endpoints: (slice.endpoints ?? []).filter((one) => !gone(one)),
      }),
    );
  });
  const isKept = ({ metadata }: Pod): boolean => !lost.has(keyOf(metadata));
  const podsLeft = (all: readonly Pod[]): readonly Pod[] => (all.every(isKept) ? all : all.filter(isKept));
  // A lost Service is known to have no Pods, even if they were not read.
  const none = [...loss.services].filter((key) => !facts.pods.known(key));
  const known = replaced(facts.pods, podsLeft);
  const pods =
    none.length === 0
      ? known
      : lookup(new Map([...known.entries(), ...none.map((key) => [key, []] as const)]), known.gaps);
  const met = new Map(facts.callouts.map((callout) => [calloutId(callout), serviceKeyOf(callout) ?? '']));
  return {
    ...facts,
    endpointSlices,
    pods,
    namespacePods: replaced(facts.namespacePods, podsLeft),
    endpointPods: replaced(facts.endpointPods, (pod) => (isKept(pod) ? pod : undefined)),
    probes: replaced(facts.probes, (probes, id) => {
      const key = met.get(id) ?? '';
      if (!affected.has(key)) return probes;
      const isLost = (pod: string | undefined): boolean =>
        pod === undefined ? loss.services.has(key) : lost.has(`${namespaceIn(key)}/${pod}`);
      return withoutReplicas(probes, isLost);
    }),
  };
}
