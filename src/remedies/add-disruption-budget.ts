import { wantedPods } from '../facts/workloads.ts';
import { workloadBehind, workloadName } from './backend.ts';
import { declarationPlan } from './edits.ts';
import { defineRemedy } from './remedy.ts';

export const addDisruptionBudget = defineRemedy({
  meta: {
    id: 'add-disruption-budget',
    title: 'Let a drain take one replica at a time',
    risk: 'safe',
    does: 'Makes a PodDisruptionBudget with maxUnavailable 1 for the Pods of the workload. Where the workload is declared elsewhere, the object is printed for that place.',
    leaves: 'Whatever is no eviction: a node that fails, a rollout, a Pod that is deleted.',
    answers: ['no-disruption-budget'],
    touches: [{ operation: 'create', kinds: ['PodDisruptionBudget'] }],
  },
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const workload = callout && workloadBehind(callout, facts);
    if (callout === undefined || workload === undefined || workload.kind === 'DaemonSet') return undefined;
    if (wantedPods(workload) < 2) {
      return {
        refused: `${workloadName(workload)} has one replica: a budget would let every drain take it, or stop every drain. Run two replicas first (scale-up).`,
      };
    }
    const { name, namespace = '' } = workload.metadata;
    const object = { kind: 'PodDisruptionBudget', namespace, name };
    const after = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { maxUnavailable: 1, selector: workload.spec.selector },
    };
    const plan = {
      summary: `A drain takes one Pod of ${workloadName(workload)} at a time`,
      warnings: ['Where another budget selects the same Pods, evictions fail: there may be only one.'],
    };
    return declarationPlan(plan, workload, after, { object, operation: 'create', after });
  },
});
