import { refOfPod, refOfWorkload } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck, latent } from '../check.ts';

export const noResourceRequests = defineCheck({
  meta: {
    id: 'no-resource-requests',
    title: 'Webhook has no resource requests, or was OOMKilled',
    severity: 'info',
    why: 'On a busy node, a container without requests is among the first that get no CPU time or are evicted. The webhook then responds late, or not at all. A container that was killed at its memory limit is killed again by the same load.',
    advice:
      '[end] Set `resources.requests` for cpu and memory to the usage under load, and a memory limit above the peak: `kubectl -n {namespace} edit {workload}`. [look] Measure the usage: `kubectl -n {metered} top pod --containers`. [end] Set no cpu limit, or a high one where the namespace requires it: throttling delays responses.',
    noRemedy: 'needs-its-owners-figures',
    messages: {
      none: 'Container {container} of {workload} requests no {what}',
      killed: latent('Container {container} of Pod {pod} was killed at its memory limit of {limit} before'),
    },
    references: ['/docs/concepts/configuration/manage-resources-containers/#requests-and-limits'],
  },
  requires: [...practiceFacts, 'pods'],
  subjects: backendsWithWorkload,
  run({ key, workload, container }, { pods }, find) {
    if (container === undefined) return;
    const requests = { ...container.resources?.limits, ...container.resources?.requests };
    const lacking = ['cpu', 'memory'].filter((resource) => requests[resource] === undefined);
    // Missing requests are sufficient for a finding; OOM kills are only known if Pods were read.
    const replicas = (lacking.length === 0 ? pods.get(key) : pods.getIfKnown(key)) ?? [];
    const killed = replicas.find(({ status }) =>
      status.containerStatuses?.some(
        ({ name, ready, lastState }) =>
          name === container.name && ready && lastState?.terminated?.reason === 'OOMKilled',
      ),
    );
    const limit = container.resources?.limits?.memory;
    return [
      ...(killed === undefined || limit === undefined
        ? []
        : [
            find('killed', { container: container.name, pod: killed.metadata.name, limit }, [
              {
                object: refOfPod(killed),
                field: 'status.containerStatuses[].lastState.terminated.reason',
                value: 'OOMKilled',
              },
            ]),
          ]),
      ...(lacking.length === 0
        ? []
        : [
            find(
              'none',
              { container: container.name, workload: workloadText(workload), what: lacking.join(' and no ') },
              [
                {
                  object: refOfWorkload(workload),
                  field: 'spec.template.spec.containers[].resources.requests',
                  value: JSON.stringify(container.resources?.requests ?? {}),
                },
              ],
            ),
          ]),
    ];
  },
});
