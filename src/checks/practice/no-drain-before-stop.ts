import { refOfWorkload } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const noDrainBeforeStop = defineCheck({
  meta: {
    id: 'no-drain-before-stop',
    title: 'Pod may stop while it still receives requests',
    severity: 'info',
    why: 'When a Pod is deleted, its container receives SIGTERM at once, while every node needs a moment to remove its address. Requests in between are refused, unless the program continues to serve for some seconds, which no object shows.',
    advice:
      '[end] Add a preStop hook that sleeps for a few seconds (`lifecycle.preStop.sleep`, Kubernetes 1.30 and later), and a longer terminationGracePeriodSeconds: `kubectl -n {namespace} edit {workload}`. [end] If the program itself waits, no action is required.',
    messages: {
      none: 'Container {container} of {workload} has no preStop hook: it may receive SIGTERM while it still receives requests',
    },
    references: [
      '/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-flow',
      '/docs/tutorials/services/pods-and-endpoint-termination-flow/',
    ],
  },
  requires: practiceFacts,
  subjects: backendsWithWorkload,
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
