import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaImagePullFailing = defineCheck({
  meta: {
    id: 'replica-image-pull-failing',
    title: 'Pod cannot pull its image',
    severity: 'error',
    consequence: 'failing',
    explains: { 'webhook-not-ready-in-time': 6, 'image-pull': 1 },
    why: 'Without the image, the container does not start. The kubelet retries with a growing delay of up to five minutes.',
    advice:
      'Read the error of the registry: `kubectl -n {namespace} describe pod {pod}`. If a rollout changed the image, undo it: `kubectl -n {namespace} rollout undo {revised}`. Compare the image name and tag with the registry, and check `imagePullSecrets` and the connection from the node to the registry.',
    messages: {
      all: '{pods} cannot pull image {image} ({detail})',
      some: latent('{pods} cannot pull image {image} ({detail}); other Pods serve requests'),
    },
    references: ['/docs/concepts/containers/images/#imagepullbackoff'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('image-pull-failing'));
    if (bad === undefined) return undefined;
    const { pod, state } = bad.first;
    const container = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find(
      ({ name }) => name === state.container?.name,
    );
    const data = {
      pods: bad.pods,
      image: container?.image ?? state.container?.image ?? '',
      detail: brief(state.text ?? state.reason ?? ''),
    };
    return find(bad.extent === 'all' ? 'all' : 'some', data, podEvidence(bad.each), bad.names);
  },
});
