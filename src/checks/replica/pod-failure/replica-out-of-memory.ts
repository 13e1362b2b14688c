import type { Pod } from '../../../facts/objects/pod.ts';
import { allContainers } from '../../../facts/workloads/pod-context.ts';
import { inState } from '../../../pods/bad-replicas.ts';
import { latent, partial } from '../../check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

/** True if admission has set the memory limit of the container (kubernetes plugin/pkg/admission/limitranger). */
const isDefaulted = ({ metadata }: Pod, container: string): boolean =>
  (metadata.annotations?.['kubernetes.io/limit-ranger'] ?? '')
    .split('; ')
    .some((set) => /\bmemory\b/.test(set) && set.endsWith(` limit for container ${container}`));

export const replicaOutOfMemory = badPodsCheck({
  id: 'replica-out-of-memory',
  title: 'Container is OOMKilled',
  why: 'The kernel kills the process when it exceeds the memory limit, or the node runs out of memory (OOMKilled, exit code 137). The kubelet restarts it. A cache that grows with the cluster exceeds the limit again after each start.',
  advice:
    '[end] Raise the memory limit where it is declared (Helm values, the operator). [end] If no limit is set, the node ran out of memory: set a memory request. [look] Then compare request and limit with the usage: `kubectl -n {metered} top pod`.',
  messages: {
    all: 'Container {container} was OOMKilled in {pods} (limit {limit}, restart count {restarts})',
    defaulted: {
      text: 'Container {container} was OOMKilled in {pods} at the default limit {limit} of a LimitRange (restart count {restarts})',
      advice:
        '[end] Set a higher memory limit for the container in the Pod template: `kubectl -n {namespace} edit {workload}`. [look] The new limit must not exceed the maximum of the LimitRange: `kubectl -n {namespace} describe limitranges`.',
    },
    reachable: partial(
      'Container {container} was OOMKilled in {pods} (limit {limit}, restart count {restarts}), and receives requests until it is killed again',
    ),
    unreachable: latent(
      'Container {container} was OOMKilled in {pods} (limit {limit}, restart count {restarts}); other Pods serve requests',
    ),
  },
  references: [
    '/docs/tasks/configure-pod-container/assign-memory-resource/#exceed-a-container-s-memory-limit',
  ],
  isBad: inState('out-of-memory'),
  run({ extent, first: { pod, state } }, _facts, report) {
    const container = allContainers(pod).find(({ name }) => name === state.container?.name);
    const name = state.container?.name ?? '';
    return report(extent === 'all' && isDefaulted(pod, name) ? 'defaulted' : extent, {
      container: name,
      limit: container?.resources?.limits?.memory ?? 'not set',
      restarts: state.container?.restartCount ?? 0,
    });
  },
});
