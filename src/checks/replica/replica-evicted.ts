import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence, sayingOf } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaEvicted = defineCheck({
  meta: {
    id: 'replica-evicted',
    link: 'replica',
    title: 'A replica was ended by its node',
    severity: 'error',
    consequence: 'failing',
    why: 'The kubelet ended the Pod (memory, disk or process ids were short, or the node was shut down) or would not take it in. Such a Pod never runs again; its workload makes another, where it can.',
    advice: advise`Look at what was short on the node (${'kubectl describe node {node}'}), give the Pod requests that match its use, and see why its replacement does not run. What is left of the Pod can be deleted.`,
    noRemedy: 'in-the-node',
    messages: {
      all: '{pods}: ended by the node ({said}), and no other replica answers',
      some: latent('{pods}: ended by the node ({said}) and not replaced; other replicas answer'),
    },
    references: ['https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('evicted'));
    if (bad === undefined) return undefined;
    const data = { pods: bad.pods, said: brief(sayingOf(bad.first.state)) };
    return find(bad.extent === 'all' ? 'all' : 'some', data, podEvidence(bad.each), bad.names);
  },
});
