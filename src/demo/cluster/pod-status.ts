import type { Condition } from '../../facts/objects/metadata.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../facts/objects/pod.ts';
import { ago, lately } from './ago.ts';

/** An Event of a controller or kubelet about a Pod. */
export interface DemoEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly component: string;
}

/** The state of a Pod: its status, its Events, and its logs by container. */
export interface DemoPodState {
  readonly status: Pod['status'];
  readonly events: readonly DemoEvent[];
  readonly logs: Readonly<Record<string, string>>;
}

/** The surroundings that determine a Pod's state. */
export interface PodSurroundings {
  /** The assigned node; undefined if none fits. */
  readonly node: { readonly name: string; readonly address: string; readonly ready: boolean } | undefined;
  /** The scheduler's message if no node fits. */
  readonly unschedulable: string;
  /** Its address, once it has a sandbox. */
  readonly address: string;
  readonly hasSecret: (name: string) => boolean;
  readonly hasConfigMap: (name: string) => boolean;
}

/** A condition that has had its status for two hours. */
export const condition = (
  type: string,
  status: Condition['status'],
  more: Partial<Condition> = {},
): Condition => ({
  type,
  status,
  lastTransitionTime: ago('2h'),
  ...more,
});

const unreadyContainers = (containers: readonly Container[]): string =>
  `containers with unready status: [${containers.map(({ name }) => name).join(' ')}]`;

/** The four conditions that the kubelet and the scheduler set for a scheduled Pod. */
export function conditions(
  containers: readonly Container[],
  is: { readonly initialized: boolean; readonly ready: boolean },
) {
  const why = is.ready ? {} : { reason: 'ContainersNotReady', message: unreadyContainers(containers) };
  return [
    condition('PodScheduled', 'True'),
    condition('Initialized', is.initialized ? 'True' : 'False'),
    condition('ContainersReady', is.ready ? 'True' : 'False', why),
    condition('Ready', is.ready ? 'True' : 'False', why),
  ];
}

/** The state of a container that has run for two hours. */
export const runningState = { running: { startedAt: ago('2h') } };
const creating = { waiting: { reason: 'ContainerCreating' } };

/** The status of a container that is being created, with these changes. */
export const containerStatus = (
  container: Container,
  over: Partial<ContainerStatus> = {},
): ContainerStatus => ({
  name: container.name,
  image: container.image ?? '',
  ready: false,
  started: false,
  restartCount: 0,
  state: creating,
  ...over,
});

/**
 * The status of a container in CrashLoopBackOff, after seven restarts.
 *
 * @param reason of its previous termination: `Error`, `OOMKilled`.
 */
export const restarting = (
  container: Container,
  reason: string,
  exitCode: number,
): Partial<ContainerStatus> => ({
  restartCount: 7,
  state: {
    waiting: {
      reason: 'CrashLoopBackOff',
      message: `back-off 5m0s restarting failed container=${container.name}`,
    },
  },
  lastState: { terminated: { exitCode, reason, startedAt: lately('4m'), finishedAt: lately('4m') } },
});

/** A Warning Event of the kubelet. */
export const warning = (reason: string, message: string, count: number): DemoEvent => ({
  type: 'Warning',
  ...{ reason, message, count },
  component: 'kubelet',
});

/** The status of a scheduled Pod with these containers. */
export function placedPod(
  spec: PodSpec,
  around: PodSurroundings,
  containers: readonly ContainerStatus[],
  over: Partial<Pod['status']> = {},
): Pod['status'] {
  const isReady = containers.every(({ ready }) => ready);
  const anyRan = containers.some(
    ({ restartCount, state }) => restartCount > 0 || state?.running !== undefined,
  );
  const address = spec.hostNetwork === true ? (around.node?.address ?? '') : around.address;
  return {
    phase: anyRan ? 'Running' : 'Pending',
    hostIP: around.node?.address ?? '',
    podIP: address,
    podIPs: [{ ip: address }],
    startTime: ago('2d'),
    conditions: conditions(spec.containers, { initialized: true, ready: isReady }),
    containerStatuses: containers,
    ...over,
  };
}

/** The status of a Pod without a sandbox. */
export function withoutAddress(status: Pod['status']): Pod['status'] {
  const { podIP: _ip, podIPs: _ips, ...rest } = status;
  return rest;
}
