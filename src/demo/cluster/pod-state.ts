import type { Condition } from '../../facts/objects/metadata.ts';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../facts/objects/pod.ts';
import { ago } from './ago.ts';
import type { Behaviour } from './behaviour.ts';

/** Something a controller or kubelet would tell about a Pod, as an event. */
export interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly component: string;
}

/** What becomes of one Pod: its status, what is told about it, what its containers wrote, by container. */
export interface PodState {
  readonly status: Pod['status'];
  readonly told: readonly Told[];
  readonly logs: Readonly<Record<string, string>>;
}

/** What of a Pod's surroundings decides its fate. */
export interface Surroundings {
  /** The node it was given to; undefined when none fits. */
  readonly node: { readonly name: string; readonly address: string; readonly ready: boolean } | undefined;
  /** Why none fits, in the scheduler's words. */
  readonly unschedulable: string;
  /** Address, when it gets as far as a sandbox. */
  readonly address: string;
  readonly hasSecret: (name: string) => boolean;
  readonly hasConfigMap: (name: string) => boolean;
}

const condition = (type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  lastTransitionTime: ago('2h'),
  ...more,
});

const unreadyContainers = (containers: readonly Container[]): string =>
  `containers with unready status: [${containers.map(({ name }) => name).join(' ')}]`;

function conditions(
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

const running = { running: { startedAt: ago('2h') } };
const creating = { waiting: { reason: 'ContainerCreating' } };

const statusOf = (container: Container, over: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name: container.name,
  image: container.image ?? '',
  ready: false,
  started: false,
  restartCount: 0,
  state: creating,
  ...over,
});

const restarting = (container: Container, reason: string, exitCode: number): Partial<ContainerStatus> => ({
  restartCount: 7,
  state: {
    waiting: {
      reason: 'CrashLoopBackOff',
      message: `back-off 5m0s restarting failed container=${container.name}`,
    },
  },
  lastState: { terminated: { exitCode, reason, startedAt: ago('4m'), finishedAt: ago('3m') } },
});

const warning = (reason: string, message: string, count: number): Told => ({
  type: 'Warning',
  ...{ reason, message, count },
  component: 'kubelet',
});

/** Where a Pod stands whose containers fare as told. */
function placed(
  spec: PodSpec,
  around: Surroundings,
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

function withoutAddress(status: Pod['status']): Pod['status'] {
  const { podIP: _ip, podIPs: _ips, ...rest } = status;
  return rest;
}

/** A volume whose source does not exist keeps the Pod from its sandbox, if a container mounts it. */
function missingVolume(spec: PodSpec, around: Surroundings): string | undefined {
  const mounted = new Set(
    [...spec.containers, ...(spec.initContainers ?? [])].flatMap(
      ({ volumeMounts }) => volumeMounts?.map(({ name }) => name) ?? [],
    ),
  );
  for (const { name, secret, configMap } of spec.volumes ?? []) {
    if (!mounted.has(name)) continue;
    const says = (kind: string, source: string) =>
      `MountVolume.SetUp failed for volume "${name}" : ${kind} "${source}" not found`;
    if (secret?.secretName !== undefined && !secret.optional && !around.hasSecret(secret.secretName))
      return says('secret', secret.secretName);
    if (configMap?.name !== undefined && !configMap.optional && !around.hasConfigMap(configMap.name))
      return says('configmap', configMap.name);
  }
  return undefined;
}

interface EnvSource {
  readonly configMapRef?: { readonly name: string };
  readonly secretRef?: { readonly name: string };
}

function missingEnvironment(container: Container, around: Surroundings): string | undefined {
  for (const source of (container.envFrom ?? []) as readonly EnvSource[]) {
    const { configMapRef, secretRef } = source;
    if (configMapRef && !around.hasConfigMap(configMapRef.name))
      return `configmap "${configMapRef.name}" not found`;
    if (secretRef && !around.hasSecret(secretRef.name)) return `secret "${secretRef.name}" not found`;
  }
  return undefined;
}

/** Images of this host exist nowhere. */
const unknownImage = (container: Container): boolean => /^[^/]*\.invalid\//.test(container.image ?? '');

function keptFromStarting(spec: PodSpec, around: Surroundings): PodState | undefined {
  const volume = missingVolume(spec, around);
  if (volume !== undefined) {
    const status = placed(
      spec,
      around,
      spec.containers.map((container) => statusOf(container)),
    );
    return { status: withoutAddress(status), told: [warning('FailedMount', volume, 12)], logs: {} };
  }
  const told: Told[] = [];
  const statuses = spec.containers.map((container): ContainerStatus => {
    const environment = missingEnvironment(container, around);
    if (environment !== undefined) {
      told.push(warning('Failed', `Error: ${environment}`, 12));
      return statusOf(container, {
        state: { waiting: { reason: 'CreateContainerConfigError', message: environment } },
      });
    }
    if (!unknownImage(container)) return statusOf(container, { ready: true, started: true, state: running });
    const lookup = `dial tcp: lookup ${container.image?.split('/')[0]}: no such host`;
    told.push(
      warning(
        'Failed',
        `Failed to pull image "${container.image}": failed to resolve reference: ${lookup}`,
        4,
      ),
      warning('Failed', 'Error: ImagePullBackOff', 20),
    );
    const message = `Back-off pulling image "${container.image}"`;
    return statusOf(container, { state: { waiting: { reason: 'ImagePullBackOff', message } } });
  });
  return told.length === 0 ? undefined : { status: placed(spec, around, statuses), told, logs: {} };
}

function unscheduled(spec: PodSpec, why: string): PodState {
  const message = why;
  return {
    status: {
      phase: 'Pending',
      conditions: [condition('PodScheduled', 'False', { reason: 'Unschedulable', message })],
    },
    told:
      spec.schedulerName === undefined || spec.schedulerName === 'default-scheduler'
        ? [{ type: 'Warning', reason: 'FailedScheduling', message, count: 9, component: 'default-scheduler' }]
        : [],
    logs: {},
  };
}

const first = (spec: PodSpec): string => spec.containers[0]?.name ?? '';

/** All containers came to a good end. */
function ended(spec: PodSpec, around: Surroundings, finishedAt: string): PodState {
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: ago('1d'), finishedAt };
  const done = spec.containers.map((container) => statusOf(container, { state: { terminated } }));
  return { status: placed(spec, around, done, { phase: 'Succeeded' }), told: [], logs: {} };
}

function behaving(spec: PodSpec, around: Surroundings, behaviour: Behaviour): PodState {
  const each = (over: (container: Container) => Partial<ContainerStatus>) =>
    spec.containers.map((container) => statusOf(container, over(container)));
  const up = { ready: true, started: true, state: running };
  switch (behaviour.is) {
    case 'ready':
    case 'leaving':
      return {
        status: placed(
          spec,
          around,
          each(() => up),
        ),
        told: [],
        logs: {},
      };
    case 'starting':
    case 'not-ready': {
      const startedAt = { running: { startedAt: ago(behaviour.is === 'starting' ? '4s' : '2h') } };
      const status = placed(
        spec,
        around,
        each(() => ({ started: true, state: startedAt })),
      );
      const told =
        behaviour.is === 'starting'
          ? []
          : [warning('Unhealthy', `Readiness probe failed: ${behaviour.says}`, 240)];
      return { status, told, logs: {} };
    }
    case 'crashing':
      return {
        status: placed(
          spec,
          around,
          each((container) => restarting(container, 'Error', behaviour.exitCode)),
        ),
        told: [warning('BackOff', `Back-off restarting failed container ${first(spec)}`, 31)],
        logs: { [first(spec)]: behaviour.log },
      };
    case 'out-of-memory':
      return {
        status: placed(
          spec,
          around,
          each((container) => restarting(container, 'OOMKilled', 137)),
        ),
        told: [warning('BackOff', `Back-off restarting failed container ${first(spec)}`, 31)],
        logs: { [first(spec)]: '' },
      };
    case 'init-failing': {
      const init = spec.initContainers ?? [];
      const waiting = { state: { waiting: { reason: 'PodInitializing' } } };
      const status = placed(
        spec,
        around,
        each(() => waiting),
        {
          phase: 'Pending',
          conditions: conditions(spec.containers, { initialized: false, ready: false }),
          initContainerStatuses: init.map((container) =>
            statusOf(container, restarting(container, 'Error', behaviour.exitCode)),
          ),
        },
      );
      const name = init[0]?.name ?? '';
      return {
        status,
        told: [warning('BackOff', `Back-off restarting failed container ${name}`, 31)],
        logs: { [name]: behaviour.log },
      };
    }
    case 'stuck-terminating':
      return behaviour.finalizer === undefined
        ? {
            status: placed(
              spec,
              around,
              each(() => up),
            ),
            told: [],
            logs: {},
          }
        : ended(spec, around, ago('40m'));
    case 'completed':
      return ended(spec, around, ago('2h'));
    case 'evicted':
      return {
        status: { phase: 'Failed', reason: 'Evicted', message: behaviour.message, startTime: ago('2d') },
        told: [warning('Evicted', behaviour.message, 1)],
        logs: {},
      };
  }
}

/** A node that is not heard of: the node controller says so of every Pod there, and nothing else changes. */
const unheard = (state: PodState): PodState => ({
  ...state,
  status: {
    ...state.status,
    conditions: (state.status.conditions ?? []).map((found) =>
      found.type === 'Ready' ? { ...found, status: 'False', lastTransitionTime: ago('3m') } : found,
    ),
  },
});

/** What a Pod comes to: what its surroundings allow, then what its program does. */
export function podState(spec: PodSpec, around: Surroundings, behaviour: Behaviour): PodState {
  if (around.node === undefined) return unscheduled(spec, around.unschedulable);
  const state = keptFromStarting(spec, around) ?? behaving(spec, around, behaviour);
  return around.node.ready ? state : unheard(state);
}
