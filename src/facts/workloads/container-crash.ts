import { secondsSince } from '../../basics/time.ts';
import type { Container, ContainerState, ContainerStatus, Pod } from '../objects/pod.ts';

/** A container that ran this long has its back-off reset (kuberuntime: MaxContainerBackOff doubled). */
const backOffResetSeconds = 600;
/** If a container runs this long after a crash and is not ready, its readiness is the problem, no crash. */
const settledAfterSeconds = 60;
/** The minimum time to distinguish a recovery from a start. */
const tooEarlySeconds = 10;

type Terminated = NonNullable<ContainerState['terminated']>;

/** True for an init container that runs as long as the Pod (KEP-753). */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** Containers that run as long as the Pod: its containers after its sidecars (KEP-753). */
export const lastingContainers = ({ spec }: Pick<Pod, 'spec'>): readonly Container[] => [
  ...(spec.initContainers ?? []).filter(isSidecar),
  ...spec.containers,
];

const sidecarNames = ({ spec }: Pod): ReadonlySet<string> =>
  new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));

/** Statuses of containers that run as long as the Pod: its containers and its sidecars (KEP-753). */
export const lastingStatuses = (pod: Pod): readonly ContainerStatus[] => [
  ...(pod.status.initContainerStatuses ?? []).filter(({ name }) => sidecarNames(pod).has(name)),
  ...(pod.status.containerStatuses ?? []),
];

/** Init containers that must exit before the Pod continues. */
export const initStatuses = (pod: Pod): readonly ContainerStatus[] =>
  (pod.status.initContainerStatuses ?? []).filter(({ name }) => !sidecarNames(pod).has(name));

/** Statuses of all containers, in the order in which the kubelet starts them. */
export const containerStatuses = ({ status }: Pod): readonly ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];

/** The last termination of a container: its current state, or that before the last restart. */
export const lastEnd = ({ state, lastState }: ContainerStatus): Terminated | undefined =>
  state?.terminated ?? lastState?.terminated;

/**
 * True if the container ended for the first time since the run began. A request of this program can be the cause, and
 * one end is no loop.
 */
function endedDuringRun({ state, lastState, restartCount }: ContainerStatus, now: string): boolean {
  const { finishedAt } = lastState?.terminated ?? state?.terminated ?? {};
  const wholeSeconds = Math.floor(Date.parse(now) / 1000) * 1000;
  return restartCount <= 1 && finishedAt !== undefined && Date.parse(finishedAt) >= wholeSeconds;
}

/** True if the container runs, but by its last run time it is likely to crash again. */
function runsUntilTheNextCrash(
  { state, lastState, ready, restartCount }: ContainerStatus,
  now: string,
): boolean {
  const end = lastState?.terminated;
  const since = secondsSince(state?.running?.startedAt, now);
  if (end === undefined || since === undefined || restartCount === 0) return false;
  if (!ready) return since < settledAfterSeconds;
  const ranBefore = secondsSince(end.startedAt, end.finishedAt ?? now) ?? 0;
  // Many programs restart once until a dependency is ready. One that runs twice as long as before has
  // recovered.
  return (
    restartCount >= 2 && ranBefore < backOffResetSeconds && since < Math.max(tooEarlySeconds, 2 * ranBefore)
  );
}

/**
 * True for a crash-looping container: in `CrashLoopBackOff`, directly after it terminated, and between two
 * crashes, while it runs and may even be ready.
 */
export function isCrashing(status: ContainerStatus, now: string): boolean {
  const { state } = status;
  if (state?.waiting !== undefined) return state.waiting.reason === 'CrashLoopBackOff';
  if (endedDuringRun(status, now)) return false;
  if (state?.terminated !== undefined) return state.terminated.exitCode !== 0 || status.restartCount > 0;
  return runsUntilTheNextCrash(status, now);
}
