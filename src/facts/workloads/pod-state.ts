import { defined } from '../../basics/collections.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Event } from '../objects/event.ts';
import type { Condition } from '../objects/metadata.ts';
import type { Node } from '../objects/node.ts';
import type { ContainerStatus, Pod } from '../objects/pod.ts';
import { initStatuses, isCrashing, lastEnd, lastingStatuses } from './container-crash.ts';
import type { PodContext } from './pod-context.ts';

/** True for a Pod that has ended, or is being deleted. */
export const hasEnded = ({ status, metadata }: Pod): boolean =>
  status.phase === 'Succeeded' || status.phase === 'Failed' || metadata.deletionTimestamp !== undefined;

/** The states of a replica, as checks and reports name them. */
export type ReplicaState =
  | 'ready'
  | 'not-ready'
  | 'crash-looping'
  | 'image-pull-failing'
  | 'out-of-memory'
  | 'evicted'
  | 'unschedulable'
  | 'volume-missing'
  | 'config-error'
  | 'init-stuck'
  | 'starting'
  | 'terminating'
  | 'node-not-ready'
  | 'no-pod';

/** The state of a Pod, with the reason and message that report it. */
export interface PodState {
  readonly state: ReplicaState;
  /** The reason of the kubelet or scheduler: `ImagePullBackOff`, `Unschedulable`, `FailedMount`. */
  readonly reason?: string;
  /** Its message. */
  readonly text?: string;
  readonly container?: ContainerStatus;
}

/** kubelet/images/types.go. */
const imageReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
/** kubelet/kuberuntime/kuberuntime_container.go. */
const configReasons = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PreStartHookError',
  'PostStartHookError',
]);
/** Reasons of containers that could not start: StartError by containerd, ContainerCannotRun by others. */
const neverBegan = new Set(['StartError', 'ContainerCannotRun']);
const mountReasons = new Set(['FailedMount', 'FailedAttachVolume', 'FailedMapVolume']);

/** Seconds during which a Pod may still start. */
const allowedSeconds = { scheduling: 30, init: 60, readiness: 20, startup: 60 };

/** Seconds after its start in which a container may be not Ready, or not listening, without being broken. */
export const startupSeconds = allowedSeconds.startup;

const stateWith = (
  state: ReplicaState,
  reason?: string,
  text?: string,
  container?: ContainerStatus,
): PodState => ({
  state,
  ...defined({ reason, text, container }),
});

const stateByEvent = (state: ReplicaState, event: Event): PodState =>
  stateWith(state, event.reason, event.message);

/** The condition of a type; undefined if the object has none. */
export const conditionOf = (
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined => conditions?.find((condition) => condition.type === type);

/** True if the condition Ready is True. A terminating Pod can be ready. */
export const isPodReady = ({ status }: Pod): boolean =>
  conditionOf(status.conditions, 'Ready')?.status === 'True';

/** RFC 3339: the Pod has been Ready since then; undefined if it is not Ready, or if that is not recorded. */
export const readySince = (pod: Pod): string | undefined =>
  isPodReady(pod) ? conditionOf(pod.status.conditions, 'Ready')?.lastTransitionTime : undefined;

/** The node's own condition, or the taint that the control plane sets if the node no longer reports. */
export function nodeProblem({ spec, status }: Node): Condition | undefined {
  const ready = conditionOf(status?.conditions, 'Ready');
  if (ready !== undefined && ready.status !== 'True') return ready;
  const taint = spec?.taints?.find(({ key }) =>
    ['node.kubernetes.io/unreachable', 'node.kubernetes.io/not-ready'].includes(key),
  );
  return (
    taint && {
      type: 'Ready',
      status: 'Unknown',
      reason: taint.key,
      message: `taint ${taint.key}:${taint.effect}`,
    }
  );
}

/** The state of a Pod that terminated and will not restart. Its workload, if it has one, creates another. */
function ended({ status }: Pod): PodState | undefined {
  if (status.phase === 'Succeeded') return stateWith('not-ready', 'Completed');
  if (status.phase !== 'Failed') return undefined;
  if (status.reason !== undefined) return stateWith('evicted', status.reason, status.message);
  const container = status.containerStatuses?.find((one) => lastEnd(one) !== undefined);
  return stateWith('crash-looping', container && lastEnd(container)?.reason, status.message, container);
}

function unbound({ metadata, spec, status }: Pod, { events, takenAt }: PodContext): PodState | undefined {
  if (spec.nodeName !== undefined) return undefined;
  const scheduled = conditionOf(status.conditions, 'PodScheduled');
  if (scheduled?.status === 'False') return stateWith('unschedulable', scheduled.reason, scheduled.message);
  const failed = events.find(({ reason }) => reason === 'FailedScheduling');
  if (failed !== undefined) return stateByEvent('unschedulable', failed);
  const waits = secondsSince(metadata.creationTimestamp, takenAt) ?? 0;
  return waits > allowedSeconds.scheduling
    ? stateWith('unschedulable', 'NoScheduler')
    : stateWith('starting');
}

function waitingFor(statuses: readonly ContainerStatus[], reasons: ReadonlySet<string>, state: ReplicaState) {
  const container = statuses.find((one) => reasons.has(one.state?.waiting?.reason ?? ''));
  const waiting = container?.state?.waiting;
  return waiting && stateWith(state, waiting.reason, waiting.message, container);
}

function neverStarted(statuses: readonly ContainerStatus[]): PodState | undefined {
  const container = statuses.find((one) => neverBegan.has(lastEnd(one)?.reason ?? '') && !one.state?.running);
  const end = container && lastEnd(container);
  return end && stateWith('config-error', end.reason, end.message, container);
}

function crashed(pod: Pod, { takenAt }: PodContext): PodState | undefined {
  const container = lastingStatuses(pod).find((one) => isCrashing(one, takenAt));
  if (container === undefined) return undefined;
  const end = lastEnd(container);
  const state = end?.reason === 'OOMKilled' ? 'out-of-memory' : 'crash-looping';
  return stateWith(state, end?.reason, end?.message, container);
}

function inInit(pod: Pod, { takenAt }: PodContext): PodState | undefined {
  const container = initStatuses(pod).find(({ state }) => state?.terminated?.exitCode !== 0);
  if (container === undefined) return undefined;
  const { running, waiting } = container.state ?? {};
  if (isCrashing(container, takenAt)) {
    const end = lastEnd(container);
    return stateWith('init-stuck', end?.reason ?? waiting?.reason, end?.message, container);
  }
  const since = secondsSince(running?.startedAt, takenAt) ?? 0;
  if (running !== undefined && since > allowedSeconds.init)
    return stateWith('init-stuck', 'Running', undefined, container);
  return running === undefined ? undefined : stateWith('starting', undefined, undefined, container);
}

/**
 * True if a mount failure is not transient. Once at the start it is normal: `failed to sync configmap cache:
 * timed out waiting for the condition` and similar ones succeed at the next attempt (confirmed on a 1.35.4
 * kubelet); a missing object does not.
 */
const isLasting = ({ message = '', count = 1 }: Event): boolean =>
  count > 1 || /not found|non-existent/.test(message);

/** True for a Pod whose sandbox the node cannot create: its network, its cgroup, its runtime. */
export const lacksSandbox = ({ reason }: PodState): boolean => reason === 'FailedCreatePodSandBox';

/**
 * True for a Pod that its node cannot connect to the Pod network. containerd: `failed to setup network for sandbox "…":
 * plugin type="x" failed (add): …`; CRI-O names the CNI network.
 */
export const lacksNetwork = (state: PodState): boolean =>
  lacksSandbox(state) && /network|\bCNI\b|plugin type=/i.test(state.text ?? '');

/** The handler of a RuntimeClass that containerd or CRI-O does not have in its configuration. */
export const missingHandler = ({ text = '' }: PodState): string | undefined =>
  /(?:no runtime for "|failed to find runtime handler )(?<handler>[^"\s]+)/.exec(text)?.groups?.handler;

/** The kubelet prepares volumes and the network before any container of the Pod starts. */
function preparing(pod: Pod, { events, missingSecrets }: PodContext): PodState | undefined {
  const statuses = [...initStatuses(pod), ...lastingStatuses(pod)];
  if (statuses.some(({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated)) {
    return undefined;
  }
  const latest = events.find(
    (event) =>
      event.reason === 'FailedCreatePodSandBox' || (mountReasons.has(event.reason ?? '') && isLasting(event)),
  );
  if (latest?.reason === 'FailedCreatePodSandBox') return stateByEvent('config-error', latest);
  if (latest !== undefined) return stateByEvent('volume-missing', latest);
  const [secret] = missingSecrets;
  return secret === undefined
    ? undefined
    : stateWith('volume-missing', 'SecretMissing', `secret "${secret}" not found`);
}

/** The message of an Event, which the recorder marks when it counts Events with different messages as one. */
const messageOf = ({ message = '' }: Event): string =>
  message.replace(/^\(combined from similar events\): /, '');

/**
 * Seconds within which the kubelet writes the new data of a Secret into the volumes of running Pods: its sync period
 * (60 by default) and the delay of its cache.
 */
const secretUpdateSeconds = 90;

/** True if a container that was never Ready cannot have the data of its Secret yet, written after it started. */
function waitsForSecret({ status }: Pod, startedAt: string, { secretsWrittenAt, takenAt }: PodContext) {
  const notReadySince = conditionOf(status.conditions, 'Ready')?.lastTransitionTime ?? '';
  return (
    (secondsSince(notReadySince, startedAt) ?? 0) >= 0 &&
    secretsWrittenAt.some(
      (at) =>
        (secondsSince(startedAt, at) ?? 0) > 0 &&
        (secondsSince(at, takenAt) ?? Number.POSITIVE_INFINITY) < secretUpdateSeconds,
    )
  );
}

/** All containers run, but the Pod is not ready. */
function unready(pod: Pod, context: PodContext): PodState {
  const { events, isNodeDeleted: nodeIsGone, takenAt } = context;
  const { spec, status } = pod;
  const lasting = lastingStatuses(pod);
  // The kubelet of its node has not reported yet, or the node does not exist.
  if (lasting.length === 0) {
    return nodeIsGone
      ? stateWith('node-not-ready', 'NodeMissing', 'there is no such node')
      : stateWith('starting');
  }
  const failedProbe = ({ name }: ContainerStatus): Event | undefined =>
    events.find(
      (event) =>
        event.reason === 'Unhealthy' &&
        !messageOf(event).startsWith('Liveness') &&
        event.involvedObject.fieldPath?.endsWith(`{${name}}`) !== false,
    );
  const waiting = lasting.filter(({ ready }) => !ready);
  const container = waiting.find(failedProbe) ?? waiting[0];
  if (container === undefined) {
    // Readiness gates (ReadinessGatesNotReady), or a node that no longer reports.
    const because = conditionOf(status.conditions, 'Ready');
    return stateWith('not-ready', because?.reason, because?.message);
  }
  const own = spec.containers.find(({ name }) => name === container.name);
  const delay = own?.readinessProbe?.initialDelaySeconds ?? 0;
  const grace = (container.started === false ? allowedSeconds.startup : allowedSeconds.readiness) + delay;
  const runs = container.state?.running;
  const failed = failedProbe(container);
  const text = failed && messageOf(failed);
  const since = secondsSince(runs?.startedAt, takenAt);
  if (
    runs === undefined ||
    (since !== undefined && since < grace) ||
    waitsForSecret(pod, runs.startedAt ?? '', context)
  ) {
    return stateWith('starting', container.state?.waiting?.reason ?? failed?.reason, text, container);
  }
  return stateWith('not-ready', failed?.reason, text, container);
}

/**
 * The state of a Pod, from the reports of the kubelet and the scheduler. The first problem in the lifecycle
 * of a Pod counts: scheduling, volumes and sandbox, image, init containers, containers, readiness.
 */
export function podState(pod: Pod, context: PodContext): PodState {
  if (pod.metadata.deletionTimestamp !== undefined) return stateWith('terminating');
  const onNode = context.node && nodeProblem(context.node);
  const over = ended(pod) ?? (onNode && stateWith('node-not-ready', onNode.reason, onNode.message));
  if (over !== undefined) return over;
  const statuses = [...initStatuses(pod), ...lastingStatuses(pod)];
  return (
    unbound(pod, context) ??
    waitingFor(statuses, imageReasons, 'image-pull-failing') ??
    waitingFor(statuses, configReasons, 'config-error') ??
    neverStarted(statuses) ??
    inInit(pod, context) ??
    crashed(pod, context) ??
    (isPodReady(pod) ? stateWith('ready') : undefined) ??
    preparing(pod, context) ??
    unready(pod, context)
  );
}
