import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { brief } from '../../phrases/brief.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaImagePullFailing = defineCheck({
  meta: {
    id: 'replica-image-pull-failing',
    link: 'replica',
    title: 'A replica has no image to run',
    severity: 'error',
    consequence: 'failing',
    explains: { 'image-pull': 1 },
    why: 'The kubelet cannot get the image, so the container never starts and the Pod never becomes ready.',
    advice: advise`Compare the image name and tag with what the registry has; look at imagePullSecrets and at the node's way to the registry (${'kubectl -n {namespace} describe pod {pod}'}). In a rollout, ${'kubectl -n {namespace} rollout undo {workload}'} brings the old image back.`,
    messages: {
      all: '{pods}: the image {image} cannot be had ({said}), and no other replica answers',
      some: latent('{pods}: the image {image} cannot be had ({said}); other replicas answer'),
    },
    references: ['https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff'],
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
      said: brief(state.text ?? state.reason ?? ''),
    };
    return find(bad.extent === 'all' ? 'all' : 'some', data, podEvidence(bad.each), bad.names);
  },
});
