import { backendsInNeedOfPods, endpointFacts, selectorEvidence } from '../../apiserver/routing/backends.ts';
import { isNotTerminating } from '../../facts/workloads/replicas.ts';
import { workloadsMaking } from '../../facts/workloads/workloads.ts';
import { nearestWorkload } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const workloadMissing = defineCheck({
  meta: {
    id: 'workload-missing',
    title: 'No workload creates the Pods of the Service',
    consequence: 'failing',
    why: 'The Service exists, but no workload in its namespace creates Pods with its labels, or similar ones: it was deleted, or never installed. Jobs and custom resources, which can also create Pods, are not examined.',
    advice:
      '[end] If the product was uninstalled, or no longer has this webhook, delete its registration: `kubectl delete {kind} {leftover}`. [with] Delete a CRD only if its objects are not needed, because they are deleted with it: `kubectl delete crd {crd}`. [end] If the product is needed, install it again.',
    noRemedy: { because: "only the product's manifests describe the workload" },
    messages: {
      none: 'No Deployment, StatefulSet, DaemonSet or ReplicaSet in namespace {namespace} creates Pods that Service {service} selects: {selector}',
    },
    preventsReadiness: true,
    references: [
      '/docs/tasks/debug/debug-application/debug-service/#does-the-service-have-any-endpointslices',
    ],
  },
  requires: [...endpointFacts, 'pods', 'workloads'],
  subjects: backendsInNeedOfPods,
  run(backend, facts, find) {
    const { pods, workloads } = facts;
    const { key, namespace, service } = backend;
    const { selector = {} } = service.spec;
    if ((pods.get(key) ?? []).some(isNotTerminating)) return undefined;
    const here = workloads.get(namespace) ?? [];
    if (workloadsMaking(selector, here).length > 0) return undefined;
    if (nearestWorkload(backend, facts) !== undefined) return undefined;
    const selects = selectorEvidence(backend);
    return find('none', { service: key, selector: selects.value, namespace }, [selects]);
  },
});
