import { type Backend, endpointFacts, usableBehind } from '../apiserver/routing/backends.ts';
import { endpointStateOf } from '../apiserver/routing/endpoint-state.ts';
import type { BackendEndpoint } from '../apiserver/routing/endpoints.ts';
import { derive } from '../basics/derive.ts';
import type { Evidence } from '../facts/evidence.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts, World } from '../facts/snapshot.ts';
import { lastEnd } from '../facts/workloads/container-crash.ts';
import { podContext } from '../facts/workloads/pod-context.ts';
import { type PodState, podState, type ReplicaState } from '../facts/workloads/pod-state.ts';
import { replicaPods } from '../facts/workloads/replicas.ts';
import {
  byWorkload,
  newestRevision,
  refOfPod,
  workloadArgument,
  workloadOfPod,
} from '../facts/workloads/workloads.ts';
import { namedList } from '../phrases/lists.ts';

/** The facts that decide the state of the Pods of a Service. */
export const backendPodFacts = [
  ...endpointFacts,
  'pods',
  'endpointPods',
  'events',
  'nodes',
  'secrets',
] as const;
type BackendPodFacts = World<(typeof backendPodFacts)[number]>;

/** One Pod and its state. */
export interface PodWithState {
  readonly pod: Pod;
  readonly state: PodState;
}

/** Pods in one failing state, and the effect on calls. */
export interface BadReplicas {
  /**
   * `all`: no address that a call can reach responds. Else others respond: calls also reach these Pods, or not.
   */
  readonly extent: 'all' | 'reachable' | 'unreachable';
  /** As `podsText` has them. */
  readonly pods: string;
  readonly first: PodWithState;
  readonly each: readonly PodWithState[];
  /** Names of the first Pod for commands. */
  readonly names: {
    readonly pod: string;
    readonly container: string | undefined;
    readonly node: string | undefined;
    /** Its workload; undefined without one. */
    readonly affected: string | undefined;
    /** The object whose template has its probes: its workload, else the Pod. */
    readonly probed: string;
  };
}

const notBroken: readonly ReplicaState[] = ['ready', 'starting', 'terminating'];

type StateFacts = World<'events' | 'nodes' | 'secrets'>;

const statesOf = derive(
  ['takenAt', 'events', 'nodes', 'secrets'],
  (facts: StateFacts, pods: readonly Pod[]) =>
    replicaPods(pods).map((pod): PodWithState => ({ pod, state: podState(pod, podContext(pod, facts)) })),
);

const noPods: readonly Pod[] = [];

const podsOf = (podStates: readonly PodWithState[]): readonly Pod[] => podStates.map(({ pod }) => pod);

/** The Pods behind a backend, each with its state. Throws NotKnown if they could not be read. */
export const podsWithState = (
  { key }: Backend,
  facts: StateFacts & Pick<Facts, 'pods'>,
): readonly PodWithState[] => statesOf(facts, facts.pods.get(key) ?? noPods);

/**
 * The Pods that cause the failure. In a rollout these are the new ones: old Pods are deleted soon. The old
 * ones count if the new ones have no failing state yet, or if calls still reach them.
 */
function podsToReport(
  podStates: readonly PodWithState[],
  isReachable: (pod: Pod) => boolean,
): readonly PodWithState[] {
  const newest = new Set(newestRevision(podStates.map(({ pod }) => pod)));
  const broken = podStates.filter(({ state }) => !notBroken.includes(state.state));
  const brokenAndNew = broken.filter(({ pod }) => newest.has(pod));
  const someNewReady = podStates.some(({ pod, state }) => newest.has(pod) && state.state === 'ready');
  if (brokenAndNew.length === 0 && !someNewReady) return podStates;
  return podStates.filter(
    ({ pod, state }) => newest.has(pod) || isReachable(pod) || state.state === 'terminating',
  );
}

/** `Pod a`, `Pods a and b`, `Pods a, b and 3 more`; `the 3 Pods of Deployment policy` if these are all of its Pods. */
export function podsText(pods: readonly Pod[], all: readonly Pod[] = []): string {
  const [workload, ...others] = byWorkload(pods).keys();
  if (pods.length > 1 && pods.length === all.length && others.length === 0)
    return `the ${pods.length} Pods of ${workload}`;
  const names = pods.map(({ metadata }) => metadata.name);
  return namedList('Pod', names, 2);
}

/** True for a Pod to which one of these endpoints belongs. */
export const hasEndpointIn =
  (endpoints: readonly BackendEndpoint[]) =>
  ({ metadata }: Pod): boolean =>
    endpoints.some(({ pod }) => pod !== undefined && keyOf(pod) === keyOf(metadata));

/** Returns the Pods of a backend that are in a given state, or undefined if there are none. */
export function badReplicas(
  backend: Backend,
  facts: BackendPodFacts,
  wanted: (one: PodWithState) => boolean,
): BadReplicas | undefined {
  const podStates = podsWithState(backend, facts);
  if (!podStates.some(wanted)) return undefined;
  const usable = usableBehind(backend, facts);
  const isReachable = hasEndpointIn(usable);
  const each = podsToReport(podStates, isReachable).filter(wanted);
  const [first] = each;
  if (first === undefined) return undefined;
  const answered = usable.some((endpoint) =>
    ['answers', 'not-known'].includes(endpointStateOf(endpoint, backend.key, facts)),
  );
  const ofSome = each.some(({ pod }) => isReachable(pod)) ? 'reachable' : 'unreachable';
  const extent = answered ? ofSome : 'all';
  const { metadata, spec } = first.pod;
  const affected = workloadArgument(workloadOfPod(first.pod));
  const names = {
    pod: metadata.name,
    container: first.state.container?.name,
    node: spec.nodeName,
    affected,
    probed: affected ?? `pod/${metadata.name}`,
  };
  return { extent, pods: podsText(podsOf(each), podsOf(podStates)), first, each, names };
}

/** Tests whether a Pod is in one of these states. */
export const inState =
  (...states: readonly ReplicaState[]) =>
  ({ state }: PodWithState): boolean =>
    states.includes(state.state);

/** `ImagePullBackOff: Back-off pulling image "x"`: reason and message of the state. */
export const reasonText = ({ state, reason, text }: PodState): string =>
  [reason, text].filter((part) => part !== undefined && part !== '').join(': ') || state;

const fieldOf = ({ pod, state }: PodWithState): string => {
  const name = state.container?.name;
  if (name === undefined) return 'status';
  const isInit = pod.status.initContainerStatuses?.some((status) => status.name === name) === true;
  return `status.${isInit ? 'initContainerStatuses' : 'containerStatuses'}[${name}]`;
};

/** The exit of the container if it has ended, else reason and message. */
function stateEvidence({ state }: PodWithState): Pick<Evidence, 'value' | 'parts'> {
  const end = state.container && lastEnd(state.container);
  const value = reasonText(state);
  if (end === undefined || !['crash-looping', 'out-of-memory', 'init-stuck'].includes(state.state))
    return { value };
  const parts = [`${end.exitCode}`, `${state.container?.restartCount}`] as const;
  return { value: `${value}, exit code ${parts[0]}, restarts ${parts[1]}`, parts };
}

/** Evidence for the state of each Pod. */
export const podEvidence = (podStates: readonly PodWithState[]): readonly Evidence[] =>
  podStates.map((one) => ({ object: refOfPod(one.pod), field: fieldOf(one), ...stateEvidence(one) }));
