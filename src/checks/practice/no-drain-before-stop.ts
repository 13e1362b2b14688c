import { refOfWorkload } from '../../facts/workloads.ts';
import { keptBackends, practiceFacts } from '../../pods/kept-well.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const noDrainBeforeStop = defineCheck({
  meta: {
    id: 'no-drain-before-stop',
    link: 'practice',
    title: 'A replica may stop answering while calls still come',
    severity: 'info',
    why: 'When a Pod is deleted, its container is told to end at once, while every node takes a moment to hear that its address is gone. What arrives meanwhile is refused, unless the program goes on serving for some seconds, which no object shows.',
    advice:
      'Give the container a preStop that sleeps for a few seconds (`lifecycle.preStop.sleep`, Kubernetes 1.30 and later), and a terminationGracePeriodSeconds that is longer. Where the program itself waits, nothing is missing.',
    messages: {
      none: 'Container {container} of {workload} has no preStop: it is told to end while calls still come',
    },
  },
  requires: practiceFacts,
  subjects: keptBackends,
  run({ workload, container }, _, find) {
    if (container === undefined) return;
    const { preStop } = (container.lifecycle ?? {}) as { readonly preStop?: unknown };
    if (preStop !== undefined) return;
    return find('none', { container: container.name, workload: workloadText(workload) }, [
      {
        object: refOfWorkload(workload),
        field: 'spec.template.spec.containers[].lifecycle.preStop',
        value: 'none',
      },
    ]);
  },
});
