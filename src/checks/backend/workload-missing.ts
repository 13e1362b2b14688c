import { backendsInNeedOfPods, endpointFacts, serviceRef } from '../../apiserver/routing/backends.ts';
import { isStaying } from '../../facts/replicas.ts';
import { labelsText, workloadsMaking } from '../../facts/workloads.ts';
import { nearestWorkload } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const workloadMissing = defineCheck({
  meta: {
    id: 'workload-missing',
    link: 'backend',
    title: 'Nothing makes the Pods that the Service selects',
    severity: 'error',
    consequence: 'failing',
    why: 'The Service is there, but no workload of its namespace makes Pods with its labels, nor anything like them: it was deleted, or never installed.',
    advice:
      'Install the product again, or, if it is gone for good, delete the webhook configuration that still calls it. A workload of another kind (a Job, a custom one) may be meant to make the Pods: it was not looked for.',
    noRemedy: { because: 'only an installation knows what the workload looked like' },
    messages: {
      none: 'Service {service} selects {selector}, and no Deployment, StatefulSet, DaemonSet or ReplicaSet of namespace {namespace} makes such Pods',
    },
  },
  requires: [...endpointFacts, 'pods', 'workloads'],
  subjects: backendsInNeedOfPods,
  run(backend, { pods, workloads }, find) {
    const { key, namespace, service, port } = backend;
    const { selector = {} } = service.spec;
    if ((pods.get(key) ?? []).some(isStaying)) return undefined;
    const here = workloads.get(namespace) ?? [];
    if (workloadsMaking(selector, here).length > 0) return undefined;
    if (nearestWorkload(service, port, here) !== undefined) return undefined;
    const text = labelsText(selector);
    return find('none', { service: key, selector: text, namespace }, [
      { object: serviceRef(backend), field: 'spec.selector', value: text },
    ]);
  },
});
