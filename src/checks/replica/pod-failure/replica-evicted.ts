import { groupBy } from '../../../basics/collections.ts';
import { secondsSince } from '../../../basics/time.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { PodState } from '../../../facts/workloads/pod-state.ts';
import { controllerOf, refOfPod, workloadOfPod } from '../../../facts/workloads/workloads.ts';
import { brief } from '../../../phrases/brief.ts';
import { inState, reasonText } from '../../../pods/bad-replicas.ts';
import { latent } from '../../check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

/** The kubelet's messages about limits of the Pod template (kubernetes pkg/kubelet/eviction/helpers.go). */
const ownLimit =
  /^Usage of EmptyDir volume|^Container \S+ exceeded its local ephemeral storage limit|^Pod ephemeral local storage usage exceeds/;

/** True for a Pod that the kubelet never started (kubernetes pkg/kubelet/kubelet.go rejectPod). */
const isRejected = ({ text = '' }: PodState): boolean => text.startsWith('Pod was rejected');

/** Seconds in which repeated evictions of the Pods of one controller have the same cause. */
const recently = 3600;

/** The Pods of one controller that were evicted recently and have been replaced, the latest first; two at least. */
function repeatedlyEvicted(pods: readonly Pod[], takenAt: string): readonly Pod[] {
  const evicted = pods.filter(
    ({ metadata, status }) =>
      status.phase === 'Failed' &&
      status.reason === 'Evicted' &&
      (secondsSince(metadata.creationTimestamp, takenAt) ?? recently) < recently,
  );
  const created = ({ metadata }: Pod): string => metadata.creationTimestamp ?? '';
  const alike = groupBy(evicted, ({ metadata }) => controllerOf(metadata)?.uid ?? metadata.name).values();
  const most = [...alike].find(({ length }) => length > 1) ?? [];
  return most.toSorted((a, b) => created(b).localeCompare(created(a)));
}

const raiseLimit =
  '[end] Raise the limit in the Pod template, `sizeLimit` of the volume or `ephemeral-storage` of the container: `kubectl -n {namespace} edit {workload}`. [end] Or let the process write less.';

export const replicaEvicted = badPodsCheck({
  id: 'replica-evicted',
  title: 'Pod was evicted or rejected by its node',
  why: 'The kubelet evicted the Pod (node pressure: memory, disk or process IDs; or node shutdown) or rejected it. Such a Pod never runs again; its controller creates a replacement if it can.',
  advice:
    '[look] Find out why the replacement does not run: `kubectl -n {namespace} get pods -o wide`. [end] Then delete the failed Pod: `kubectl -n {namespace} delete pod {pod}`. [prevent] If the node ran short of memory or ephemeral-storage, set requests for that resource that match the usage. [see] To read the requests of all Pods on the node: `kubectl describe node {node}`.',
  noRemedy: 'in-the-node',
  messages: {
    rejected: {
      text: 'The kubelet rejects {pods} ({detail})',
      advice:
        '[end] Correct the field that the reason names in the Pod template (`kubectl -n {namespace} edit {workload}`), or allow it on the node: `kubectl describe node {node}`. [end] Then delete the rejected Pod: `kubectl -n {namespace} delete pod {pod}`.',
    },
    limit: {
      text: '{pods} failed, because a storage limit of the Pod template was exceeded ({detail})',
      advice: raiseLimit,
    },
    repeatedLimit: latent(
      'Pods of {workload} are evicted again and again ({count} in the last hour), because they exceed a storage limit of the Pod template: {detail}',
      raiseLimit,
    ),
    repeated: latent('Pods of {workload} are evicted again and again ({count} in the last hour): {detail}'),
    all: '{pods} failed ({detail}), and no replacement serves requests',
    alone: {
      text: '{pods} failed ({detail}): without a controller, no replacement is created',
      advice:
        '[end] Create a Deployment that runs the Pod, from its definition: `kubectl -n {namespace} get pod {pod} -o yaml`. [end] Then delete the failed Pod: `kubectl -n {namespace} delete pod {pod}`. [prevent] If the node ran short of memory or ephemeral-storage, set requests for that resource that match the usage. [see] To read the requests of all Pods on the node: `kubectl describe node {node}`.',
    },
    some: latent('{pods} failed ({detail}) without a replacement; other Pods serve requests'),
  },
  references: [
    '/docs/concepts/scheduling-eviction/node-pressure-eviction/',
    '/docs/concepts/cluster-administration/node-shutdown/#graceful-node-shutdown',
  ],
  isBad: inState('evicted'),
  run({ extent, first, each }, _facts, report) {
    const data = { detail: brief(reasonText(first.state)) };
    if (extent !== 'all') return report('some', data);
    if (isRejected(first.state)) return report('rejected', data);
    if (each.every(({ pod }) => controllerOf(pod.metadata) === undefined)) return report('alone', data);
    return report(ownLimit.test(first.state.text ?? '') ? 'limit' : 'all', data);
  },
  otherwise({ key }, facts, find) {
    const evicted = repeatedlyEvicted(facts.pods.get(key) ?? [], facts.takenAt);
    const [pod] = evicted;
    if (pod === undefined) return undefined;
    const { message = '' } = pod.status;
    const workload = workloadOfPod(pod);
    const data = {
      workload: `${workload.kind} ${workload.name}`,
      count: evicted.length,
      detail: brief(message),
    };
    const evidence = evicted.map((one) => ({
      object: refOfPod(one),
      field: 'status.message',
      value: one.status.message ?? '',
    }));
    return find(ownLimit.test(message) ? 'repeatedLimit' : 'repeated', data, evidence, {
      pod: pod.metadata.name,
      node: pod.spec.nodeName,
    });
  },
});
