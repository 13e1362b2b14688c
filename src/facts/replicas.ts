import { type Callout, isServiceBacked } from './callout.ts';
import { remembered } from './derive.ts';
import { keyOf } from './object-ref.ts';
import type { Endpoint, EndpointSlice } from './objects/endpoint-slice.ts';
import type { Pod } from './objects/pod.ts';
import { type PodContextFacts, podContext } from './pod-context.ts';
import { conditionOf, isPodReady, podState, type ReplicaState } from './pod-state.ts';
import type { World } from './snapshot.ts';
import { controllerOf } from './workloads.ts';

/** One replica of a backend: a Pod, an address, or, as is usual, both. */
export interface Replica {
  /** `namespace/name` of a Pod is not needed: it lives in the Service's namespace. Absent for a bare address. */
  readonly pod?: string;
  /** `address:port` behind the Service's port; absent while the Pod has none. */
  readonly endpoint?: string;
  /** The Pod is ready; if it was not read, its endpoint is. */
  readonly ready: boolean;
  readonly state: ReplicaState;
}

export type ReplicaFacts = World<'services' | 'endpointSlices' | 'pods' | 'endpointPods'> & PodContextFacts;

interface Address {
  readonly text: string;
  readonly endpoint: Endpoint;
}

/** Callouts share Services. */
const addressesIn = remembered((slices: readonly EndpointSlice[], portName: string): readonly Address[] => {
  const found = slices.flatMap(({ addressType, ports, endpoints }) =>
    (ports ?? [])
      .filter(({ name }) => (name ?? '') === portName)
      .flatMap(({ port }) =>
        (endpoints ?? []).map((endpoint) => {
          const [address = ''] = endpoint.addresses;
          return { text: `${addressType === 'IPv6' ? `[${address}]` : address}:${port}`, endpoint };
        }),
      ),
  );
  return [...new Map(found.map((address) => [address.text, address])).values()];
});

const isOf =
  ({ metadata }: Pod) =>
  ({ endpoint: { targetRef } }: Address): boolean =>
    targetRef?.name === metadata.name && (targetRef.uid === undefined || targetRef.uid === metadata.uid);

/** True if the scheduler or the kubelet has reported about the Pod. */
const isUnderWay = ({ status }: Pod): boolean =>
  status.phase !== 'Pending' ||
  (status.containerStatuses ?? []).length > 0 ||
  conditionOf(status.conditions, 'PodScheduled')?.status === 'False';

/** A Pod that ended for good and was replaced, or that had a job to do, is no replica any more. */
function isReplica(pod: Pod, all: readonly Pod[]): boolean {
  const owner = controllerOf(pod.metadata);
  if (owner?.kind === 'Job') return false;
  // A terminating Pod that is not deleted blocks its successor.
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  if (pod.status.phase === 'Succeeded') return false;
  if (pod.status.phase !== 'Failed' || owner === undefined) return true;
  const born = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  // A node that rejects each new Pod leaves one of which nothing is known beside those that tell why.
  return !all.some(
    (other) =>
      controllerOf(other.metadata)?.uid === owner.uid && born(other) > born(pod) && isUnderWay(other),
  );
}

/** True for a Pod that is not being deleted. */
export const isStaying = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/** The Pods behind a Service that its calls depend on, of all that its selector catches. */
export const replicaPods = (pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => isReplica(pod, pods));

/** An address whose Pod is not among those that the selector brought. */
function addressOnly(address: Address, namespace: string, facts: ReplicaFacts): Replica {
  const { conditions, targetRef } = address.endpoint;
  const serves = (conditions?.serving ?? true) && (conditions?.ready ?? true);
  const key = keyOf({ namespace, name: targetRef?.name ?? '' });
  const gone = targetRef?.name !== undefined && facts.endpointPods.isAbsent(key);
  const state = conditions?.terminating === true ? 'terminating' : serves ? 'ready' : 'not-ready';
  return {
    ...(targetRef?.name === undefined ? {} : { pod: targetRef.name }),
    endpoint: address.text,
    ready: serves && !gone,
    state: gone ? 'no-pod' : state,
  };
}

/**
 * The replicas behind a callout, as far as they are known: from the EndpointSlices, and from the Pods where those were
 * read. None for a URL, a missing Service, or one that could not be read.
 */
export function replicasOf(callout: Callout, facts: ReplicaFacts): readonly Replica[] {
  if (!isServiceBacked(callout)) return [];
  const { namespace, port: number } = callout.client.service;
  const key = keyOf(callout.client.service);
  const service = facts.services.getIfKnown(key);
  const port = service?.spec.ports?.find((candidate) => candidate.port === number);
  if (service === undefined || !facts.endpointSlices.known(key)) return [];
  const addresses =
    port === undefined ? [] : addressesIn(facts.endpointSlices.get(key) ?? [], port.name ?? '');
  const all = facts.pods.getIfKnown(key) ?? [];
  const pods = all.filter((pod) => isReplica(pod, all) || addresses.some(isOf(pod)));
  const withPod = pods.map((pod): Replica => {
    const address = addresses.find(isOf(pod));
    return {
      pod: pod.metadata.name,
      ...(address === undefined ? {} : { endpoint: address.text }),
      ready: isPodReady(pod) && pod.metadata.deletionTimestamp === undefined,
      state: podState(pod, podContext(pod, facts)).state,
    };
  });
  const rest = addresses.filter((address) => !pods.some((pod) => isOf(pod)(address)));
  return [...withPod, ...rest.map((address) => addressOnly(address, namespace, facts))];
}
