import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { advise } from '../../facts/advice.ts';
import { allContainers } from '../../facts/pod-context.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent } from '../check.ts';

export const replicaOutOfMemory = defineCheck({
  meta: {
    id: 'replica-out-of-memory',
    link: 'replica',
    title: 'A replica is killed because it needs more memory than it may have',
    severity: 'error',
    consequence: 'failing',
    explains: { 'out-of-memory': 1, 'connection-closed': 2 },
    why: 'The kernel kills the process (OOMKilled, exit code 137) and the kubelet starts it again. Caches that grow with the cluster make this come back with every start.',
    advice: advise`Raise the memory limit in the workload, where it lasts (Helm values, the operator), and watch the use: ${'kubectl -n {namespace} top pod'}.`,
    messages: {
      all: '{pods}: container {container} was killed out of memory (limit: {limit}), restarts so far: {restarts}; no other replica answers',
      met: {
        text: '{pods}: container {container} was killed out of memory (limit: {limit}), restarts so far: {restarts}; calls still meet it until the next time',
        severity: 'warning',
        consequence: 'degraded',
      },
      some: latent(
        '{pods}: container {container} was killed out of memory (limit: {limit}), restarts so far: {restarts}; other replicas answer',
      ),
    },
    references: ['https://kubernetes.io/docs/tasks/configure-pod-container/assign-memory-resource/'],
  },
  requires: backendPodFacts,
  subjects: examinedBackends,
  run(backend, facts, find) {
    const bad = badReplicas(backend, facts, inState('out-of-memory'));
    if (bad === undefined) return undefined;
    const { pod, state } = bad.first;
    const container = allContainers(pod).find(({ name }) => name === state.container?.name);
    const data = {
      pods: bad.pods,
      container: state.container?.name ?? '',
      limit: container?.resources?.limits?.memory ?? 'none of its own',
      restarts: state.container?.restartCount ?? 0,
    };
    return find(bad.extent, data, podEvidence(bad.each));
  },
});
