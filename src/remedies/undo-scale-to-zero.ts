import { isServiceBacked } from '../facts/callout.ts';
import { fieldWriter } from '../facts/field-writer.ts';
import { wantedPods } from '../facts/workloads.ts';
import { workloadBehind } from './backend.ts';
import { defineRemedy } from './remedy.ts';
import { canScale, originalReplicas, scalePlan } from './scale.ts';

export const undoScaleToZero = defineRemedy({
  meta: {
    id: 'undo-scale-to-zero',
    title: 'Bring the backend back from zero replicas',
    risk: 'safe',
    does: 'Scales the workload to as many replicas as it had, where its annotations tell, else to one.',
    leaves: 'Whoever scaled it to zero, and why: a person, an autoscaler, a downscaler at night.',
    answers: ['workload-scaled-to-zero', 'bootstrap-deadlock'],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) !== 0) return undefined;
    const by = fieldWriter(workload.metadata, ['spec', 'replicas']);
    const who = by?.manager;
    return scalePlan('undo-scale-to-zero', callout, workload, originalReplicas(workload) ?? 1, [
      ...(who === undefined ? [] : [`It was set to zero by ${who}, which may do so again.`]),
    ]);
  },
});
