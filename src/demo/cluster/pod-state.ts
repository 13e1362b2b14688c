import type { Container, ContainerStatus, Pod, PodSpec } from '../../facts/objects/pod.ts';
import { ago, lately } from './ago.ts';
import type { PodBehaviour } from './behaviour.ts';
import {
  condition,
  conditions,
  containerStatus,
  type DemoEvent,
  type DemoPodState,
  type PodSurroundings,
  placedPod,
  restarting,
  runningState,
  warning,
  withoutAddress,
} from './pod-status.ts';

/** The kubelet's message about a mounted volume whose source does not exist: the Pod gets no sandbox. */
function missingVolume(spec: PodSpec, around: PodSurroundings): string | undefined {
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

function missingEnvironment(container: Container, around: PodSurroundings): string | undefined {
  for (const source of (container.envFrom ?? []) as readonly EnvSource[]) {
    const { configMapRef, secretRef } = source;
    if (configMapRef && !around.hasConfigMap(configMapRef.name))
      return `configmap "${configMapRef.name}" not found`;
    if (secretRef && !around.hasSecret(secretRef.name)) return `secret "${secretRef.name}" not found`;
  }
  return undefined;
}

/** Images from this host do not exist. */
const unknownImage = (container: Container): boolean => /^[^/]*\.invalid\//.test(container.image ?? '');

/**
 * The state of a Pod whose containers cannot be created: missing sources of volumes or environment, missing
 * images. Undefined: they can.
 */
function startFailure(spec: PodSpec, around: PodSurroundings): DemoPodState | undefined {
  const volume = missingVolume(spec, around);
  if (volume !== undefined) {
    const status = placedPod(
      spec,
      around,
      spec.containers.map((container) => containerStatus(container)),
    );
    return { status: withoutAddress(status), events: [warning('FailedMount', volume, 12)], logs: {} };
  }
  const events: DemoEvent[] = [];
  const statuses = spec.containers.map((container): ContainerStatus => {
    const environment = missingEnvironment(container, around);
    if (environment !== undefined) {
      events.push(warning('Failed', `Error: ${environment}`, 12));
      return containerStatus(container, {
        state: { waiting: { reason: 'CreateContainerConfigError', message: environment } },
      });
    }
    if (!unknownImage(container))
      return containerStatus(container, { ready: true, started: true, state: runningState });
    const lookup = `dial tcp: lookup ${container.image?.split('/')[0]}: no such host`;
    events.push(
      warning(
        'Failed',
        `Failed to pull image "${container.image}": failed to resolve reference: ${lookup}`,
        4,
      ),
      warning('Failed', 'Error: ImagePullBackOff', 20),
    );
    const message = `Back-off pulling image "${container.image}"`;
    return containerStatus(container, { state: { waiting: { reason: 'ImagePullBackOff', message } } });
  });
  return events.length === 0 ? undefined : { status: placedPod(spec, around, statuses), events, logs: {} };
}

/** A Pod with another schedulerName gets no condition or Event. */
function unscheduled(spec: PodSpec, message: string): DemoPodState {
  if (spec.schedulerName !== undefined && spec.schedulerName !== 'default-scheduler')
    return { status: { phase: 'Pending' }, events: [], logs: {} };
  const conditions = [condition('PodScheduled', 'False', { reason: 'Unschedulable', message })];
  return {
    status: { phase: 'Pending', conditions },
    events: [
      { type: 'Warning', reason: 'FailedScheduling', message, count: 9, component: 'default-scheduler' },
    ],
    logs: {},
  };
}

const first = (spec: PodSpec): string => spec.containers[0]?.name ?? '';

/** All containers completed successfully. */
function ended(spec: PodSpec, around: PodSurroundings, finishedAt: string): DemoPodState {
  const terminated = { exitCode: 0, reason: 'Completed', startedAt: ago('1d'), finishedAt };
  const done = spec.containers.map((container) => containerStatus(container, { state: { terminated } }));
  return { status: placedPod(spec, around, done, { phase: 'Succeeded' }), events: [], logs: {} };
}

/** Conditions of a Pod that was created a few seconds ago. */
const startedConditions = ({ containers }: PodSpec) =>
  conditions(containers, { initialized: true, ready: false }).map((one) => ({
    ...one,
    lastTransitionTime: lately('20s'),
  }));

function behaving(spec: PodSpec, around: PodSurroundings, behaviour: PodBehaviour): DemoPodState {
  const state = (
    over: (container: Container) => Partial<ContainerStatus>,
    events: DemoPodState['events'] = [],
    logs: DemoPodState['logs'] = {},
    status: Partial<Pod['status']> = {},
  ): DemoPodState => {
    const containers = spec.containers.map((container) => containerStatus(container, over(container)));
    return { status: placedPod(spec, around, containers, status), events, logs };
  };
  const up = () => ({ ready: true, started: true, state: runningState });
  const backOff = (name: string) => [warning('BackOff', `Back-off restarting failed container ${name}`, 31)];
  const since = (start: string) => () => ({ started: true, state: { running: { startedAt: start } } });
  switch (behaviour.is) {
    case 'ready':
    case 'leaving':
      return state(up);
    case 'starting':
      return state(since(lately('4s')), [], {}, { conditions: startedConditions(spec) });
    case 'not-ready':
      return state(since(ago('2h')), [
        warning('Unhealthy', `Readiness probe failed: ${behaviour.says}`, 240),
      ]);
    case 'crashing':
      return state((container) => restarting(container, 'Error', behaviour.exitCode), backOff(first(spec)), {
        [first(spec)]: behaviour.log,
      });
    case 'out-of-memory':
      return state((container) => restarting(container, 'OOMKilled', 137), backOff(first(spec)), {
        [first(spec)]: '',
      });
    case 'init-failing': {
      const init = spec.initContainers ?? [];
      const name = init[0]?.name ?? '';
      const waiting = () => ({ state: { waiting: { reason: 'PodInitializing' } } });
      return state(
        waiting,
        backOff(name),
        { [name]: behaviour.log },
        {
          phase: 'Pending',
          conditions: conditions(spec.containers, { initialized: false, ready: false }),
          initContainerStatuses: init.map((container) =>
            containerStatus(container, restarting(container, 'Error', behaviour.exitCode)),
          ),
        },
      );
    }
    case 'stuck-terminating':
      return behaviour.finalizer === undefined ? state(up) : ended(spec, around, ago('40m'));
    case 'completed':
      return ended(spec, around, ago('2h'));
    case 'evicted':
      return {
        status: { phase: 'Failed', reason: 'Evicted', message: behaviour.message, startTime: ago('2d') },
        events: [warning('Evicted', behaviour.message, 1)],
        logs: {},
      };
  }
}

/** An unreachable node: the node controller sets the Ready condition of its Pods, nothing else. */
const unreported = (state: DemoPodState): DemoPodState => ({
  ...state,
  status: {
    ...state.status,
    conditions: (state.status.conditions ?? []).map((found) =>
      found.type === 'Ready' ? { ...found, status: 'False', lastTransitionTime: ago('3m') } : found,
    ),
  },
});

/** The state of a Pod, derived from its surroundings and then from its program. */
export function demoPodState(spec: PodSpec, around: PodSurroundings, behaviour: PodBehaviour): DemoPodState {
  if (around.node === undefined) return unscheduled(spec, around.unschedulable);
  const state = startFailure(spec, around) ?? behaving(spec, around, behaviour);
  return around.node.ready ? state : unreported(state);
}
