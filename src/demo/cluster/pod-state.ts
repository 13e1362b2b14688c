import type { Container, ContainerStatus, PodSpec } from '../../facts/objects/pod.ts';
import { ago } from './ago.ts';
import type { Behaviour } from './behaviour.ts';
import { keptFromStarting } from './kept-from-starting.ts';
import {
  condition,
  conditions,
  type PodState,
  placed,
  restarting,
  running,
  type Surroundings,
  statusOf,
  warning,
} from './pod-status.ts';

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
