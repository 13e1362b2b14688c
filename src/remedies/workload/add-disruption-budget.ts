import { wantedPods } from '../../facts/workloads/workloads.ts';
import { declarationPlan, workloadBehind, workloadName } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';

export const addDisruptionBudget = defineRemedy({
  meta: {
    id: 'add-disruption-budget',
    title: 'Add a PodDisruptionBudget: one Pod evicted at a time',
    risk: 'safe',
    does: 'Creates a PodDisruptionBudget with `maxUnavailable: 1` for the Pods of the workload. If the workload is declared elsewhere (Helm, GitOps, an operator), the manifest is printed instead.',
    leaves: 'Disruptions that are not evictions: node failures, rollouts, deleted Pods.',
    answers: ['no-disruption-budget'],
    touches: [{ operation: 'create', kinds: ['PodDisruptionBudget'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || workload.kind === 'DaemonSet') return undefined;
    if (wantedPods(workload) < 2)
      return `${workloadName(workload)} has one replica: a budget would either allow every drain to evict it or block every drain. Scale to two replicas first (scale-up).`;
    const { name, namespace = '' } = workload.metadata;
    const object = { kind: 'PodDisruptionBudget', namespace, name };
    const after = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace },
      spec: { maxUnavailable: 1, selector: workload.spec.selector },
    };
    const plan = {
      summary: `A drain evicts one Pod of ${workloadName(workload)} at a time`,
      warnings: [
        'Evictions fail if another PodDisruptionBudget selects the same Pods: only one may select a Pod.',
      ],
    };
    return declarationPlan(plan, workload, {
      edits: [{ object, operation: 'create', after }],
      declared: after,
    });
  },
});
