import type { Endpoint, EndpointSlice } from '../facts/objects/endpoint-slice.ts';
import type { Service } from '../facts/objects/service.ts';

/**
 * What the names of a workload's Pods have in common: without the random end, the ordinal, and the hash of the
 * ReplicaSet (apimachinery util/rand: no vowels, so that no word comes out).
 */
const stem = (podName: string): string =>
  podName.replace(/-([a-z0-9]{5}|\d+)$/, '').replace(/-[bcdfghjklmnpqrstvwxz2456789]{1,10}$/, '');

const takesCalls = ({ conditions }: Endpoint): boolean =>
  conditions?.ready !== false && conditions?.terminating !== true;

/**
 * False where endpoints may not be the Pods that they should be: an address that no Pod stands for beside a selector,
 * Pods named by hand where there is none, Pods of different workloads.
 */
function areItsPods(service: Service, endpoints: readonly Endpoint[]): boolean {
  const pods = endpoints.flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? (targetRef.name ?? '') : [],
  );
  const hasSelector = Object.keys(service.spec.selector ?? {}).length > 0;
  if (pods.length !== (hasSelector ? endpoints.length : 0)) return false;
  return new Set(pods.map(stem)).size <= 1;
}

/** Every endpoint of the port is there, ready, and of one workload: nothing in the slices hints at trouble. */
export function looksWhole(service: Service, slices: readonly EndpointSlice[], port: number): boolean {
  // Readiness of these endpoints is published whatever the Pods say.
  if (service.spec.publishNotReadyAddresses === true) return false;
  const named = service.spec.ports?.find((candidate) => candidate.port === port)?.name ?? '';
  const offering = slices.filter(({ ports }) => ports?.some(({ name }) => (name ?? '') === named));
  const endpoints = offering.flatMap((slice) => slice.endpoints ?? []);
  return endpoints.length > 0 && endpoints.every(takesCalls) && areItsPods(service, endpoints);
}
