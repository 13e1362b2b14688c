import type { Evidence } from '../../facts/evidence.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { refOfPod, refOfWorkload } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck, latent } from '../check.ts';

/** True if a container that is Ready was killed at its memory limit before. */
const wasKilled = ({ status }: Pod, container: string): boolean =>
  status.containerStatuses?.some(
    ({ name, ready, lastState }) =>
      name === container && ready && lastState?.terminated?.reason === 'OOMKilled',
  ) === true;

const killEvidence = (pod: Pod): Evidence => ({
  object: refOfPod(pod),
  field: 'status.containerStatuses[].lastState.terminated.reason',
  value: 'OOMKilled',
});

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
    const { name, resources: { requests, limits } = {} } = container;
    const lacking = ['cpu', 'memory'].filter((one) => ({ ...limits, ...requests })[one] === undefined);
    // Missing requests are sufficient for a finding; OOM kills are only known if Pods were read.
    const replicas = (lacking.length === 0 ? pods.get(key) : pods.getIfKnown(key)) ?? [];
    const pod = replicas.find((one) => wasKilled(one, name));
    const data = {
      container: name,
      workload: workloadText(workload),
      what: lacking.join(' and no '),
      limit: limits?.memory ?? '',
      pod: pod?.metadata.name ?? '',
    };
    const field = 'spec.template.spec.containers[].resources.requests';
    const set = { object: refOfWorkload(workload), field, value: JSON.stringify(requests ?? {}) };
    return [
      ...(pod === undefined || data.limit === '' ? [] : [find('killed', data, [killEvidence(pod)])]),
      ...(lacking.length === 0 ? [] : [find('none', data, [set])]),
    ];
  },
});
