import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaUnschedulable = defineCheck({
  meta: {
    id: 'replica-unschedulable',
    link: 'replica',
    title: 'Pod cannot be scheduled',
    severity: 'error',
    consequence: 'failing',
    explains: { unschedulable: 1 },
    why: 'A Pod without a node has no address and is not an endpoint of the Service. The API server cannot reach it.',
    advice:
      'Read the reason: `kubectl -n {namespace} describe pod {pod}`. The scheduler reports it for each node: free resources, a cordoned node (`unschedulable`), a taint without a toleration, a node selector, a volume. If the Pod names a scheduler that does not run, start that scheduler. Free or add capacity, or correct the Pod template: `kubectl -n {namespace} edit {workload}`.',
    messages: {
      all: '{pods} cannot be scheduled ({detail}), and no other Pod serves requests',
      gated:
        '{pods} cannot be scheduled because of scheduling gates ({gates}), and no other Pod serves requests',
      ignored:
        '{pods} cannot be scheduled: scheduler {scheduler} has not acted, and no other Pod serves requests',
      some: latent('{pods} cannot be scheduled ({detail}); other Pods serve requests'),
    },
    // The scheduler reports a binding that a webhook rejects.
    follows: ['bootstrap-deadlock', 'host-network-port-conflict'],
    references: ['/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-pending'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('unschedulable'));
    if (bad === undefined) return undefined;
    const { pods } = bad;
    const { pod, state } = bad.first;
    const evidence = podEvidence(bad.each);
    if (bad.extent !== 'all')
      return find('some', { pods, detail: brief(state.text ?? state.reason ?? '') }, evidence, bad.names);
    if (state.reason === 'SchedulingGated') {
      const gates = (pod.spec.schedulingGates ?? []).map(({ name }) => name).join(', ');
      return find('gated', { pods, gates }, evidence, bad.names);
    }
    if (state.reason === 'NoScheduler') {
      return find(
        'ignored',
        { pods, scheduler: pod.spec.schedulerName ?? 'default-scheduler' },
        evidence,
        bad.names,
      );
    }
    return find('all', { pods, detail: brief(state.text ?? state.reason ?? '') }, evidence, bad.names);
  },
});
