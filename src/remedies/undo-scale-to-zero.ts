import { isServiceBacked } from '../facts/callout.ts';
import { fieldWriter } from '../facts/field-writer.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { wantedPods } from '../facts/workloads.ts';
import { workloadBehind } from './backend.ts';
import { defineRemedy } from './remedy.ts';
import { canScale, originalReplicas, scalePlan } from './scale.ts';

/**
 * How many replicas it is to have. At zero an autoscaler rests; from the first replica on it decides
 * (pkg/controller/podautoscaler horizontal.go reconcileAutoscaler).
 */
function wanted(
  workload: Workload,
  { autoscalers }: Pick<Facts, 'autoscalers'>,
): { readonly replicas: number; readonly warning?: string } {
  const { kind, metadata } = workload;
  const namespace = metadata.namespace ?? '';
  const had = originalReplicas(workload);
  if (!autoscalers.known(namespace)) {
    const warning = 'Whether an autoscaler has this workload as its target could not be looked at.';
    return { replicas: had ?? 1, warning };
  }
  const owner = autoscalers
    .get(namespace)
    ?.find(({ spec: { scaleTargetRef: target } }) => target.kind === kind && target.name === metadata.name);
  if (owner === undefined) return { replicas: had ?? 1 };
  const { minReplicas = 1, maxReplicas } = owner.spec;
  // A least number of zero is what keeps it there.
  const least = Math.max(minReplicas, 1);
  return {
    replicas: Math.min(Math.max(had ?? least, least), maxReplicas),
    warning: `HorizontalPodAutoscaler ${keyOf(owner.metadata)} decides from then on: ${minReplicas} to ${maxReplicas} replicas.`,
  };
}

export const undoScaleToZero = defineRemedy({
  meta: {
    id: 'undo-scale-to-zero',
    title: 'Bring the backend back from zero replicas',
    risk: 'safe',
    does: 'Scales the workload to as many replicas as it had, where its annotations tell, else to as many as its HorizontalPodAutoscaler wants at least, else to one.',
    leaves: 'Whoever scaled it to zero, and why: a person, an autoscaler, a downscaler at night.',
    answers: ['workload-scaled-to-zero', 'bootstrap-deadlock'],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  requires: ['services', 'workloads', 'autoscalers'],
  plan({ callout }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) !== 0) return undefined;
    const by = fieldWriter(workload.metadata, ['spec', 'replicas']);
    const who = by?.manager;
    const { replicas, warning } = wanted(workload, facts);
    return scalePlan(workload, replicas, [
      ...(who === undefined ? [] : [`It was set to zero by ${who}, which may do so again.`]),
      ...(warning === undefined ? [] : [warning]),
    ]);
  },
});
