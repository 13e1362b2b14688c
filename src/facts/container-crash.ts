import type { Container, ContainerState, ContainerStatus, Pod } from './objects/pod.ts';
import { secondsSince } from './seconds.ts';

/** The kubelet starts its back-off anew after a container ran this long (kuberuntime: MaxContainerBackOff doubled). */
const forgivenAfterSeconds = 600;
/** A container that runs this long after a crash, not ready, is judged by its readiness and no longer by the crash. */
const settledAfterSeconds = 60;
/** The minimum time to distinguish a recovery from a start. */
const tooEarlySeconds = 10;

type Terminated = NonNullable<ContainerState['terminated']>;

export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** Containers that run as long as the Pod does: its own and its sidecars (KEP-753). */
export function lastingStatuses({ spec, status }: Pod): readonly ContainerStatus[] {
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  return [
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
    ...(status.containerStatuses ?? []),
  ];
}

/** Init containers that must exit before the Pod continues. */
export function initStatuses({ spec, status }: Pod): readonly ContainerStatus[] {
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  return (status.initContainerStatuses ?? []).filter(({ name }) => !sidecars.has(name));
}

/** How a container ended last: now, or before the restart that is due or was made. */
export const lastEnd = ({ state, lastState }: ContainerStatus): Terminated | undefined =>
  state?.terminated ?? lastState?.terminated;

/** It runs again; whether that is worth anything shows in how long it ran before. */
function runsUntilTheNextCrash(
  { state, lastState, ready, restartCount }: ContainerStatus,
  now: string,
): boolean {
  const end = lastState?.terminated;
  const since = secondsSince(state?.running?.startedAt, now);
  if (end === undefined || since === undefined || restartCount === 0) return false;
  if (!ready) return since < settledAfterSeconds;
  const ranBefore = secondsSince(end.startedAt, end.finishedAt ?? now) ?? 0;
  // Many programs restart once until a dependency is ready. One that runs twice as long as before has recovered.
  return (
    restartCount >= 2 && ranBefore < forgivenAfterSeconds && since < Math.max(tooEarlySeconds, 2 * ranBefore)
  );
}

/**
 * True for a container that ends again and again: while it waits (`CrashLoopBackOff`), right after it ended, and
 * between two crashes, while it runs and may even be ready.
 */
export function isCrashing(status: ContainerStatus, now: string): boolean {
  const { state } = status;
  if (state?.waiting !== undefined) return state.waiting.reason === 'CrashLoopBackOff';
  if (state?.terminated !== undefined) return state.terminated.exitCode !== 0 || status.restartCount > 0;
  return runsUntilTheNextCrash(status, now);
}
