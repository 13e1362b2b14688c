import { secondsSince } from '../../basics/time.ts';
import { type Callout, calloutId, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { endpointsChangedAt } from '../../facts/objects/endpoint-slice.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isPodReady, readySince } from '../../facts/workloads/pod-state.ts';
import { isNotTerminating, knownPods } from '../../facts/workloads/replicas.ts';
import type { BackendEndpoint } from './endpoints.ts';

/** The facts that show that an endpoint has been removed since its EndpointSlice was read. */
export type RemovalFacts = Pick<Facts, 'services' | 'endpointSlices' | 'pods'> &
  Partial<Pick<Facts, 'probes'>>;

/** Seconds in which the EndpointSlice controller and kube-proxy apply the deletion of a Pod. */
const applySeconds = 60;

const isRecent = (time: string | undefined, now: string): boolean =>
  (secondsSince(time, now) ?? applySeconds) < applySeconds;

/** True if the deletion began recently: `deletionTimestamp` is the end of the grace period (meta/v1 types.go). */
const isDeletedRecently = ({ metadata, spec }: Pod, now: string): boolean =>
  (secondsSince(metadata.deletionTimestamp, now) ?? applySeconds) +
    (spec.terminationGracePeriodSeconds ?? 30) <
  applySeconds;

/** True if the Pod existed when this run opened a port-forward to it, and its process had ended. */
const hadEnded = (callout: Callout, name: string, { probes }: RemovalFacts): boolean => {
  const probed = probes?.getIfKnown(calloutId(callout))?.replicas.find(({ pod }) => pod === name);
  const forwards = (probed?.dialogues ?? []).filter(({ way }) => way === 'port-forward');
  return (
    forwards.length > 0 &&
    forwards.every(
      ({ failure }) => failure !== undefined && ['refused', 'closed', 'reset'].includes(failure.kind),
    )
  );
};

/**
 * True if the Pod of a ready endpoint was deleted after the EndpointSlice was read, as in a rolling update: Pods are
 * read later, after the probes. The next call does not reach it. False if the EndpointSlice has kept the endpoint of a
 * deleted Pod for longer, and for Pods that a Service publishes until they no longer exist.
 *
 * @param now RFC 3339, by the clock of the API server.
 */
export function isEndpointRemoved(
  endpoint: BackendEndpoint,
  callout: Callout,
  facts: RemovalFacts,
  now: string,
): boolean {
  const { pod: target } = endpoint;
  if (!isServiceBacked(callout) || target === undefined) return false;
  const key = keyOf(callout.client.service);
  const pods = facts.pods.getIfKnown(key);
  const { selector = {}, publishNotReadyAddresses } = facts.services.getIfKnown(key)?.spec ?? {};
  if (pods === undefined || Object.keys(selector).length === 0) return false;
  const pod = pods.find(
    ({ metadata }) =>
      metadata.name === target.name &&
      (target.uid === undefined || metadata.uid === undefined || target.uid === metadata.uid),
  );
  if (pod !== undefined)
    return (
      pod.metadata.deletionTimestamp !== undefined &&
      publishNotReadyAddresses !== true &&
      !endpoint.terminating &&
      isDeletedRecently(pod, now)
    );
  const times = [
    endpointsChangedAt(facts.endpointSlices.getIfKnown(key) ?? []),
    ...pods.flatMap((one) => [one.metadata.creationTimestamp, readySince(one)]),
  ];
  return (
    times.some((time) => isRecent(time, now)) ||
    pods.some((one) => isDeletedRecently(one, now)) ||
    hadEnded(callout, target.name, facts)
  );
}

/**
 * The endpoints whose Pods were not deleted in the meantime. None if another Pod replaces all of them; all of them if
 * no other Pod is Ready: then no call succeeds.
 *
 * @param now RFC 3339, by the clock of the API server.
 */
export function remainingEndpoints(
  endpoints: readonly BackendEndpoint[],
  callout: Callout,
  facts: RemovalFacts,
  now: string,
): readonly BackendEndpoint[] {
  const remaining = endpoints.filter((endpoint) => !isEndpointRemoved(endpoint, callout, facts, now));
  if (remaining.length > 0) return remaining;
  return knownPods(callout, facts).some((pod) => isPodReady(pod) && isNotTerminating(pod)) ? [] : endpoints;
}
