import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence, sayingOf } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaConfigError = defineCheck({
  meta: {
    id: 'replica-config-error',
    link: 'replica',
    title: 'A replica cannot be made as its Pod describes it',
    severity: 'error',
    consequence: 'failing',
    explains: { 'container-config': 1 },
    why: 'The kubelet or the container runtime refuses: a Secret or ConfigMap that the environment names is missing, the command is not in the image, a security setting cannot be met, the network cannot be set up. The process never starts.',
    advice: advise`Correct the Pod template, or create what it names; the text says which. ${'kubectl -n {namespace} describe pod {pod}'} shows the attempts.`,
    messages: {
      all: '{pods}: container {container} cannot be started ({said}), and no other replica answers',
      sandbox: '{pods}: the node cannot set up its network ({said}), and no other replica answers',
      some: latent('{pods}: container {container} cannot be started ({said}); other replicas answer'),
    },
    follows: ['bootstrap-deadlock'],
    references: ['https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('config-error'));
    if (bad === undefined) return undefined;
    const { state } = bad.first;
    const evidence = podEvidence(bad.each);
    const said = brief(sayingOf(state));
    if (bad.extent === 'all' && state.container === undefined) {
      return find('sandbox', { pods: bad.pods, said }, evidence, bad.names);
    }
    const data = { pods: bad.pods, container: state.container?.name ?? 'of the Pod', said };
    return find(bad.extent === 'all' ? 'all' : 'some', data, evidence, bad.names);
  },
});
