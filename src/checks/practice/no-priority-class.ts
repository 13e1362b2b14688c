import { failsOpen } from '../../facts/callout.ts';
import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const noPriorityClass = defineCheck({
  meta: {
    id: 'no-priority-class',
    title: 'Webhook Pods have no priority',
    severity: 'info',
    why: 'Requests are refused without this webhook, but its Pods have no priority. On a full cluster, any Pod with a higher priority may preempt them, and the kubelet evicts them like any other.',
    advice:
      '[look] List the classes: `kubectl get priorityclasses`. [end] Set `priorityClassName` to one above that of ordinary workloads: `kubectl -n {namespace} edit {workload}`. [end] Use `system-cluster-critical` only where the cluster allows it: GKE refuses such Pods outside of kube-system without a ResourceQuota for this class.',
    noRemedy: 'needs-its-owners-figures',
    messages: { none: 'Pods of {workload} have no priorityClassName' },
    references: [
      '/docs/concepts/scheduling-eviction/pod-priority-preemption/',
      '/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default',
    ],
  },
  requires: practiceFacts,
  subjects: (facts) => backendsWithWorkload(facts).filter(({ callout }) => !failsOpen(callout)),
  run({ workload }, _, find) {
    if ((workload.spec.template.spec.priorityClassName ?? '') !== '') return;
    return find('none', { workload: workloadText(workload) }, [
      { object: refOfWorkload(workload), field: 'spec.template.spec.priorityClassName', value: 'none' },
    ]);
  },
});
