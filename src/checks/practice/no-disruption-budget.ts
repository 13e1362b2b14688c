import { refOfWorkload, wantedPods } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, budgetsOf, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const noDisruptionBudget = defineCheck({
  meta: {
    id: 'no-disruption-budget',
    title: 'No PodDisruptionBudget: a drain can evict all Pods',
    severity: 'info',
    why: 'A drain evicts Pods through the API. Without a PodDisruptionBudget, two drains, or the drain of a node with both replicas, can evict all of them at once.',
    advice:
      'Create a PodDisruptionBudget for the Pods of the workload: `kubectl -n {namespace} create poddisruptionbudget {service} --selector={label} --max-unavailable=1`.',
    messages: { none: 'No PodDisruptionBudget selects the {replicas} Pods of {workload}' },
    references: ['/docs/tasks/run-application/configure-pdb/#specifying-a-poddisruptionbudget'],
  },
  requires: practiceFacts,
  subjects: backendsWithWorkload,
  run(kept, facts, find) {
    const { workload } = kept;
    const replicas = wantedPods(workload);
    // Drains do not evict Pods of DaemonSets; single replicas are reported by another check.
    if (workload.kind === 'DaemonSet' || replicas < 2 || budgetsOf(kept, facts).length > 0) return;
    const evidence = [{ object: refOfWorkload(workload), field: 'spec.replicas', value: String(replicas) }];
    const { matchLabels = {}, matchExpressions = [] } = workload.spec.selector;
    const label = Object.entries(matchLabels)
      .map((pair) => pair.join('='))
      .join(',');
    return find('none', { replicas, workload: workloadText(workload) }, evidence, {
      label: matchExpressions.length === 0 ? label : undefined,
    });
  },
});
