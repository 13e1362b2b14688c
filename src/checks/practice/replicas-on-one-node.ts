import { refOfPod } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, practiceFacts } from '../../pods/backend-practices.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

export const replicasOnOneNode = defineCheck({
  meta: {
    id: 'replicas-on-one-node',
    title: 'All Pods of the backend are on one node',
    severity: 'info',
    why: 'If that node fails, all replicas fail with it, and it takes minutes until Kubernetes recreates them elsewhere.',
    advice:
      '[end] Add `topologySpreadConstraints` over `kubernetes.io/hostname`, or podAntiAffinity, to the Pod template: `kubectl -n {namespace} edit {workload}`. [end] On a cluster with one node, no action is required.',
    noRemedy: 'needs-its-owners-figures',
    messages: { together: 'The {count} Pods of {workload} are all on node {node}' },
    references: ['/docs/concepts/scheduling-eviction/topology-spread-constraints/'],
  },
  requires: [...practiceFacts, 'pods'],
  subjects: backendsWithWorkload,
  run({ key, workload }, { pods }, find) {
    const { topologySpreadConstraints = [], affinity } = workload.spec.template.spec;
    if (topologySpreadConstraints.length > 0 || affinity?.podAntiAffinity !== undefined) return;
    const running = (pods.get(key) ?? []).filter(
      ({ status, metadata }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined,
    );
    const nodes = new Set(running.map(({ spec }) => spec.nodeName));
    const [node] = nodes;
    if (running.length < 2 || nodes.size > 1 || node === undefined) return;
    return find(
      'together',
      { count: running.length, workload: workloadText(workload), node },
      running.map((pod) => ({ object: refOfPod(pod), field: 'spec.nodeName', value: node })),
    );
  },
});
