import { failsOpen } from '../../facts/callout.ts';
import { refOfWorkload } from '../../facts/workloads.ts';
import { keptBackends, practiceFacts } from '../../pods/kept-well.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const noPriorityClass = defineCheck({
  meta: {
    id: 'no-priority-class',
    link: 'practice',
    title: 'Pods that depend on the webhook can push it off its node',
    severity: 'info',
    why: 'Requests are refused without this webhook, and its Pods have no priority over others: on a full cluster any Pod with a priority may take their place, and the kubelet evicts them with the rest.',
    advice:
      'Set `priorityClassName: system-cluster-critical`, or a class of your own above that of ordinary workloads.',
    noRemedy: 'needs-its-owners-figures',
    messages: { none: 'Pods of {workload} have no priorityClassName' },
  },
  requires: practiceFacts,
  subjects: (facts) => keptBackends(facts).filter(({ callout }) => !failsOpen(callout)),
  run({ workload }, _, find) {
    if ((workload.spec.template.spec.priorityClassName ?? '') !== '') return;
    return find('none', { workload: workloadText(workload) }, [
      { object: refOfWorkload(workload), field: 'spec.template.spec.priorityClassName', value: 'none' },
    ]);
  },
});
