import { examinedBackends } from '../../apiserver/routing/backends.ts';
import { allContainers } from '../../facts/pod-context.ts';
import { backendPodFacts, badReplicas, inState, podEvidence } from '../../pods/bad-replicas.ts';
import { defineCheck, latent, partial } from '../check.ts';

export const replicaOutOfMemory = defineCheck({
  meta: {
    id: 'replica-out-of-memory',
    title: 'Container is OOMKilled',
    severity: 'error',
    consequence: 'failing',
    explains: { 'connection-reset': 6, 'out-of-memory': 1, 'connection-closed': 4 },
    why: 'The kernel kills the process when it exceeds the memory limit, or the node runs out of memory (OOMKilled, exit code 137), and the kubelet restarts it. A cache that grows with the cluster exceeds the limit again after each start.',
    advice:
      'Raise the memory limit where it is declared (Helm values, the operator). If no limit is set, the node ran out of memory: set a memory request. Then compare both with the usage: `kubectl -n {metered} top pod`.',
    messages: {
      all: 'Container {container} was OOMKilled in {pods} (limit {limit}, restart count {restarts})',
      met: partial(
        'Container {container} was OOMKilled in {pods} (limit {limit}, restart count {restarts}), and receives requests until it is killed again',
      ),
      some: latent(
        'Container {container} was OOMKilled in {pods} (limit {limit}, restart count {restarts}); other Pods serve requests',
      ),
    },
    references: [
      '/docs/tasks/configure-pod-container/assign-memory-resource/#exceed-a-container-s-memory-limit',
    ],
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
      limit: container?.resources?.limits?.memory ?? 'not set',
      restarts: state.container?.restartCount ?? 0,
    };
    return find(bad.extent, data, podEvidence(bad.each));
  },
});
