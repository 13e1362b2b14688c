import { defined } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import { type Callout, isServiceBacked } from '../callout.ts';
import { keyOf } from '../object-ref.ts';
import type { Endpoint, EndpointSlice } from '../objects/endpoint-slice.ts';
import type { Pod } from '../objects/pod.ts';
import type { Facts, World } from '../snapshot.ts';
import { podContext, podContextFacts } from './pod-context.ts';
import { conditionOf, isPodReady, podState, type ReplicaState } from './pod-state.ts';
import { controllerOf } from './workloads.ts';

/** The known Pods of a webhook or APIService; empty if it has no Service, or they were not read. */
export const knownPods = (callout: Callout, { pods }: Pick<Facts, 'pods'>): readonly Pod[] =>
  (isServiceBacked(callout) && pods.getIfKnown(keyOf(callout.client.service))) || [];

/** One replica of a backend: a Pod, an address, or (usually) both. */
export interface Replica {
  /** Name of the Pod, in the Service's namespace. Absent for an address without a Pod. */
  readonly pod?: string;
  /** `address:port` behind the Service's port; absent if the Pod has no endpoint. */
  readonly endpoint?: string;
  /** The Pod is ready; if it was not read, its endpoint is. */
  readonly ready: boolean;
  /** RFC 3339: the Pod has not been Ready since then; absent if it is Ready, or if that is not recorded. */
  readonly notReadySince?: string;
  readonly state: ReplicaState;
}

const replicaFacts = ['services', 'endpointSlices', 'pods', 'endpointPods', ...podContextFacts] as const;
type ReplicaFacts = World<(typeof replicaFacts)[number]>;

interface Address {
  readonly text: string;
  readonly endpoint: Endpoint;
}

function addressesIn(slices: readonly EndpointSlice[], portName: string): readonly Address[] {
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
}

const isOf =
  ({ metadata }: Pod) =>
  ({ endpoint: { targetRef } }: Address): boolean =>
    targetRef?.name === metadata.name && (targetRef.uid === undefined || targetRef.uid === metadata.uid);

/** True if the scheduler or the kubelet has reported about the Pod. */
const isReported = ({ status }: Pod): boolean =>
  status.phase !== 'Pending' ||
  (status.containerStatuses ?? []).length > 0 ||
  conditionOf(status.conditions, 'PodScheduled')?.status === 'False';

/**
 * True for a Pod that Helm creates for a test or another hook: it can have the labels of the backend. Pods of a
 * controller can have the annotation from a chart that adds it to all its templates.
 */
const isHook = ({ metadata }: Pod): boolean =>
  controllerOf(metadata) === undefined && metadata.annotations?.['helm.sh/hook'] !== undefined;

/** True if calls depend on the Pod: it has not been replaced after termination, nor run to completion. */
function isReplica(pod: Pod, all: readonly Pod[]): boolean {
  const owner = controllerOf(pod.metadata);
  if (owner?.kind === 'Job' || isHook(pod)) return false;
  // A terminating Pod that is not deleted blocks its successor.
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  if (pod.status.phase === 'Succeeded') return false;
  if (pod.status.phase !== 'Failed' || owner === undefined) return true;
  const createdAt = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  // A Pod without a status does not count as the successor: if a node rejects every new Pod, the latest has
  // none.
  return !all.some(
    (other) =>
      controllerOf(other.metadata)?.uid === owner.uid &&
      createdAt(other) > createdAt(pod) &&
      isReported(other),
  );
}

/** True for a Pod that is not being deleted. */
export const isNotTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/** The Pods behind a Service that its calls depend on, of all that its selector matches. */
export const replicaPods = (pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => isReplica(pod, pods));

/** A replica for an address whose Pod is not among those that the selector matches. */
function addressOnly(address: Address, namespace: string, facts: ReplicaFacts): Replica {
  const { conditions, targetRef } = address.endpoint;
  const serves = (conditions?.serving ?? true) && (conditions?.ready ?? true);
  const key = keyOf({ namespace, name: targetRef?.name ?? '' });
  const gone = targetRef?.name !== undefined && facts.endpointPods.isAbsent(key);
  const readiness = serves ? 'ready' : 'not-ready';
  const state = conditions?.terminating === true ? 'terminating' : readiness;
  return {
    ...(targetRef?.name === undefined ? {} : { pod: targetRef.name }),
    endpoint: address.text,
    ready: serves && !gone,
    state: gone ? 'no-pod' : state,
  };
}

/** The kubelet adds the condition Ready: a Pod without it that is Pending has never been Ready. */
function notReadySince({ metadata, status }: Pod): string | undefined {
  const condition = conditionOf(status.conditions, 'Ready');
  if (condition === undefined) return status.phase === 'Pending' ? metadata.creationTimestamp : undefined;
  return condition.status === 'True' ? undefined : condition.lastTransitionTime;
}

/** Cached, because callouts share Services. */
const replicasBehind = derive(
  [...replicaFacts, 'takenAt'],
  (facts: ReplicaFacts, key: string, number: number) => {
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
        ...defined({ notReadySince: notReadySince(pod) }),
        state: podState(pod, podContext(pod, facts)).state,
      };
    });
    const rest = addresses.filter((address) => !pods.some((pod) => isOf(pod)(address)));
    const { namespace = '' } = service.metadata;
    return [...withPod, ...rest.map((address) => addressOnly(address, namespace, facts))];
  },
);

/**
 * The known replicas behind a callout: from the EndpointSlices, and from the Pods if those were read. None
 * for a URL, a missing Service, or one that could not be read.
 */
export const replicasOf = (callout: Callout, facts: ReplicaFacts): readonly Replica[] =>
  isServiceBacked(callout)
    ? replicasBehind(facts, keyOf(callout.client.service), callout.client.service.port)
    : [];
