import { secondsSince } from '../basics/time.ts';
import type { Event } from '../facts/objects/event.ts';
import type { ContainerStatus, Pod, Probe } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';
import { lastEnd } from '../facts/workloads/container-crash.ts';
import { allContainers, podContext } from '../facts/workloads/pod-context.ts';
import { logOf } from '../facts/workloads/pod-logs.ts';
import type { PodWithState } from './bad-replicas.ts';

/** Exit codes of a program that the kubelet stopped: SIGKILL, SIGTERM, and 0 if it handles SIGTERM. */
const byKubelet: ReadonlySet<number | undefined> = new Set([137, 143, 0]);

/** The exit codes of a program that SIGKILL or SIGTERM ended: 128 and the number of the signal. */
const bySignal: ReadonlySet<number | undefined> = new Set([137, 143]);

/**
 * True if a signal ended a container with a liveness or startup probe. The kubelet sends SIGTERM, and SIGKILL after the
 * grace period; its Event is deleted after an hour. A kernel that ends another process of the container does so, too.
 */
export function isSignalled({ pod, state: { container: status } }: PodWithState): boolean {
  const { exitCode, reason } = (status && lastEnd(status)) ?? {};
  const container = allContainers(pod).find(({ name }) => name === status?.name);
  return (
    reason === 'Error' &&
    bySignal.has(exitCode) &&
    (container?.livenessProbe ?? container?.startupProbe) !== undefined
  );
}

/** The liveness or startup probe that an Event is about. */
export const probeOf = (
  pod: Pod,
  status: ContainerStatus,
  { message = '' }: Pick<Event, 'message'>,
): Probe | undefined => {
  const container = allContainers(pod).find(({ name }) => name === status.name);
  return message.startsWith('Startup') ? container?.startupProbe : container?.livenessProbe;
};

/** The seconds that a container has until the probe has failed often enough. */
export const secondsToFail = ({
  initialDelaySeconds = 0,
  periodSeconds = 10,
  failureThreshold = 3,
}: Probe): number => initialDelaySeconds + periodSeconds * failureThreshold;

/**
 * True if the kubelet stopped the container. Exit code 2 is that of a Go program without a handler for SIGTERM
 * that is process 1 (runtime/signal_unix.go dieFromSignal), and of a panic or wrong usage: the container must
 * have run as long as the probe needs to fail, without a panic in its log.
 */
function isStopped(pod: Pod, status: ContainerStatus, detail: Event, facts: Pick<Facts, 'logs'>): boolean {
  const { exitCode, startedAt, finishedAt } = lastEnd(status) ?? {};
  if (exitCode !== 2) return byKubelet.has(exitCode);
  const probe = probeOf(pod, status, detail);
  const ran = finishedAt === undefined ? undefined : secondsSince(startedAt, finishedAt);
  if (probe === undefined || ran === undefined) return false;
  return (
    ran >= secondsToFail(probe) - (probe.periodSeconds ?? 10) &&
    !/^(?:panic|goroutine)\b/m.test(logOf(pod, status.name, facts))
  );
}

/** The Event with the kubelet's reason to stop a container: prober, kuberuntime_container.go. */
export const killEvent = (pod: Pod, facts: Parameters<typeof podContext>[1]): Event | undefined =>
  podContext(pod, facts).events.find(
    ({ reason, message = '' }) =>
      reason === 'FailedPostStartHook' || /^(Liveness|Startup) probe/.test(message),
  );

/** The Event of a probe or hook, with its message. */
export type KilledBy = Event & { readonly message: string };

/** The Event of the probe or hook for which the kubelet stopped the container; undefined if it ended by itself. */
export function stoppedBy(
  { pod, state }: PodWithState,
  facts: Parameters<typeof podContext>[1] & Pick<Facts, 'logs'>,
): KilledBy | undefined {
  const killed = killEvent(pod, facts);
  if (killed?.message === undefined || state.container === undefined) return undefined;
  return isStopped(pod, state.container, killed, facts) ? { ...killed, message: killed.message } : undefined;
}
