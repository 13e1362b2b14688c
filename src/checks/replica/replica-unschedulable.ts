import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaUnschedulable = defineCheck({
  meta: {
    id: 'replica-unschedulable',
    link: 'replica',
    title: 'A replica waits for a node',
    severity: 'error',
    consequence: 'failing',
    explains: { unschedulable: 1 },
    why: 'Without a node the Pod has no address: it is no endpoint, and no call can reach it.',
    advice: advise`The scheduler says per node what is in the way: free resources, a taint that wants a toleration, a node selector, a volume. ${'kubectl -n {namespace} describe pod {pod}'} shows its last words.`,
    messages: {
      all: '{pods}: no node for it ({said}), and no other replica answers',
      gated: '{pods}: held back by its scheduling gates ({gates}), and no other replica answers',
      ignored: '{pods}: no scheduler named {scheduler} has taken it up, and no other replica answers',
      some: latent('{pods}: no node for it ({said}); other replicas answer'),
    },
    // A binding that a webhook refuses is told by the scheduler.
    follows: ['bootstrap-deadlock', 'host-network-port-conflict'],
    references: ['https://kubernetes.io/docs/concepts/scheduling-eviction/'],
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
      return find('some', { pods, said: brief(state.text ?? state.reason ?? '') }, evidence, bad.names);
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
    return find('all', { pods, said: brief(state.text ?? state.reason ?? '') }, evidence, bad.names);
  },
});
