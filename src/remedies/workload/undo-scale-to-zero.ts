import { keyOf } from '../../facts/object-ref.ts';
import { fieldWriter } from '../../facts/objects/field-writer.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { wantedPods } from '../../facts/workloads/workloads.ts';
import { refusedByItself, workloadBehind } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';
import { canScale, originalReplicas, scalePlan } from './scale.ts';

/**
 * The number of replicas to restore. At zero an autoscaler is disabled; from the first replica on it sets the
 * number (pkg/controller/podautoscaler horizontal.go reconcileAutoscaler).
 */
function wanted(
  workload: Workload,
  { autoscalers }: Pick<Facts, 'autoscalers'>,
): { readonly replicas: number; readonly warning?: string } {
  const { kind, metadata } = workload;
  const namespace = metadata.namespace ?? '';
  const had = originalReplicas(workload);
  if (!autoscalers.known(namespace)) {
    const warning =
      'It is unknown whether a HorizontalPodAutoscaler targets this workload: they could not be read.';
    return { replicas: had ?? 1, warning };
  }
  const owner = autoscalers
    .get(namespace)
    ?.find(({ spec: { scaleTargetRef: target } }) => target.kind === kind && target.name === metadata.name);
  if (owner === undefined) return { replicas: had ?? 1 };
  const { minReplicas = 1, maxReplicas } = owner.spec;
  // A minimum of zero would keep it at zero.
  const least = Math.max(minReplicas, 1);
  return {
    replicas: Math.min(Math.max(had ?? least, least), maxReplicas),
    warning: `HorizontalPodAutoscaler ${keyOf(owner.metadata)} scales it from then on: ${minReplicas} to ${maxReplicas} replicas.`,
  };
}

/** The manager of a client without a name (apimachinery pkg/util/managedfields/internal/buildmanagerinfo.go). */
const unnamed = 'unknown';

export const undoScaleToZero = defineRemedy({
  meta: {
    id: 'undo-scale-to-zero',
    title: 'Scale the backend up from zero replicas',
    risk: 'safe',
    does: 'Scales the workload to the count kept in its annotations, else to the minimum of its HorizontalPodAutoscaler, else to one.',
    leaves: 'The reason why it was scaled to zero: a person, an autoscaler, a downscaler at night.',
    answers: ['workload-scaled-to-zero', 'bootstrap-deadlock'],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads', 'autoscalers', 'namespaces', 'served', 'version'],
  plan({ callout }, facts) {
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) !== 0) return undefined;
    const refusal = refusedByItself(callout, workload, facts);
    if (refusal !== undefined) return refusal;
    const by = fieldWriter(workload.metadata, ['spec', 'replicas']);
    const who = by?.manager === unnamed ? undefined : by?.manager;
    const { replicas, warning } = wanted(workload, facts);
    const plan = scalePlan(workload, replicas, [
      ...(who === undefined ? [] : [`It was scaled to zero by ${who}, which may do so again.`]),
      ...(warning === undefined ? [] : [warning]),
    ]);
    const isByProgram = who !== undefined && !who.startsWith('kubectl');
    if (!isByProgram) return plan;
    const minimum = who.startsWith('keda')
      ? 'set minReplicaCount to 1 in its ScaledObject'
      : 'raise its minimum to 1, or exclude the workload from it';
    return { ...plan, summary: `${plan.summary}; to keep ${who} from scaling it to 0 again, ${minimum}` };
  },
});
