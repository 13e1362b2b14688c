import { isDeepStrictEqual } from 'node:util';
import { podReferencesOf } from '../../apiserver/held-pods/placeholder-scheduler.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod, PodTemplate } from '../../facts/objects/pod.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts, World } from '../../facts/snapshot.ts';
import { podContext } from '../../facts/workloads/pod-context.ts';
import { type PodState, podState, type ReplicaState } from '../../facts/workloads/pod-state.ts';
import { replicaPods } from '../../facts/workloads/replicas.ts';
import { controllerOf } from '../../facts/workloads/workloads.ts';
import { type Rollout, rolloutOf, templateOf, wasComplete } from './rollout.ts';
import { isCausedByTemplate } from './template-cause.ts';

type PodFacts = World<'pods' | 'events' | 'nodes' | 'secrets'>;

interface EvaluatedPod {
  readonly pod: Pod;
  readonly state: PodState;
}

const isOf =
  ({ metadata }: Workload) =>
  ({ pod }: EvaluatedPod): boolean => {
    const owner = controllerOf(pod.metadata);
    return owner?.kind === 'ReplicaSet' && owner.name === metadata.name;
  };

/**
 * The state of the failing Pods if the new template is the cause: all of its Pods fail, and no others. Ready
 * Pods fail if they do not serve the webhook.
 */
function failingBy(
  rollout: Rollout,
  wanted: ReplicaState,
  pods: readonly EvaluatedPod[],
): PodState | undefined {
  const bad = pods.filter(({ state }) => state.state === wanted);
  const fresh = pods.filter(isOf(rollout.newest));
  const works = wanted !== 'ready' && fresh.some(({ state }) => state.state === 'ready');
  if (works || !bad.every(isOf(rollout.newest))) return undefined;
  return bad[0]?.state;
}

/**
 * Whether the Pods have started successfully once. Without a readiness probe, a program that crashes soon
 * after its start counts as available for a moment.
 */
function hadStarted(rollout: Rollout, deployment: Workload, { state, container }: PodState): boolean {
  if (!wasComplete(rollout, deployment)) return false;
  const own = deployment.spec.template.spec.containers.find(({ name }) => name === container?.name);
  const crashes = state === 'crash-looping' || state === 'out-of-memory';
  return !crashes || own?.readinessProbe !== undefined;
}

function isSecretMissing(template: PodTemplate, namespace: string, { secrets }: PodFacts): boolean {
  return podReferencesOf({ metadata: { name: '', namespace }, spec: template.spec, status: {} }).some(
    (one) => {
      const key = keyOf({ namespace, name: one.name });
      return one.kind === 'Secret' && secrets.isAbsent(key);
    },
  );
}

/**
 * The rollout that caused the state of a Service's Pods; undefined if there may be another cause. Throws
 * NotKnown.
 *
 * @param service `namespace/name`.
 */
export function breakingRollout(
  deployment: Workload,
  service: string,
  wanted: ReplicaState,
  facts: PodFacts & Pick<Facts, 'workloads'>,
): Rollout | undefined {
  const { namespace = '' } = deployment.metadata;
  const after = deployment.spec.template;
  const rollout = rolloutOf(deployment, facts.workloads.get(namespace) ?? []);
  // The controller has not processed this template yet.
  if (rollout === undefined || !isDeepStrictEqual(templateOf(rollout.newest), after)) return undefined;
  const pods = replicaPods(facts.pods.get(service) ?? []).map((pod) => ({
    pod,
    state: podState(pod, podContext(pod, facts)),
  }));
  const state = failingBy(rollout, wanted, pods);
  const before = rollout.template;
  if (state === undefined || (wanted !== 'ready' && hadStarted(rollout, deployment, state))) return undefined;
  const helps =
    isCausedByTemplate(state, { before, after }, namespace) && !isSecretMissing(before, namespace, facts);
  return helps ? rollout : undefined;
}
