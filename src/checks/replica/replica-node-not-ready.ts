import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence, sayingOf } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaNodeNotReady = defineCheck({
  meta: {
    id: 'replica-node-not-ready',
    link: 'replica',
    title: 'A replica sits on a node that is not ready',
    severity: 'error',
    consequence: 'failing',
    explains: {
      'no-route': 4,
      'not-permitted': 3,
      'network-unreachable': 4,
      'handshake-timeout': 4,
      'connect-timeout': 4,
      deadline: 6,
    },
    why: "When a node stops reporting, the control plane marks its Pods as not ready, and they get no calls. They are replaced elsewhere only after five minutes, unless their tolerations say otherwise, and a StatefulSet's not at all.",
    advice: advise`Bring the node back or remove it: ${'kubectl describe node {node}'}; ${'kubectl delete node {node}'} once it is sure that it is gone.`,
    noRemedy: 'in-the-node',
    messages: {
      all: '{pods}: node {node} is not ready ({said}), and no other replica answers',
      met: {
        text: '{pods}: node {node} is not ready ({said}), and calls are still sent there',
        severity: 'warning',
        consequence: 'unknown',
      },
      some: latent('{pods}: node {node} is not ready ({said}); other replicas answer'),
    },
    follows: ['bootstrap-deadlock'],
    references: ['https://kubernetes.io/docs/concepts/architecture/nodes/#condition'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('node-not-ready'));
    if (bad === undefined) return undefined;
    const node = bad.first.pod.spec.nodeName ?? '';
    return find(
      bad.extent,
      { pods: bad.pods, node, said: brief(sayingOf(bad.first.state)) },
      podEvidence(bad.each),
      bad.names,
    );
  },
});
