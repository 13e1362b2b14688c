import { isDeepStrictEqual } from 'node:util';
import { secondsSince } from '../../../basics/time.ts';
import type { Evidence } from '../../../facts/evidence.ts';
import { podContext } from '../../../facts/workloads/pod-context.ts';
import { nodeProblem } from '../../../facts/workloads/pod-state.ts';
import { refOfPod } from '../../../facts/workloads/workloads.ts';
import { listed } from '../../../phrases/lists.ts';
import { type PodWithState, podsWithState } from '../../../pods/bad-replicas.ts';
import { latent } from '../../check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

/** The kubelet's own time to clean up after the grace period, in seconds. */
const cleanupSeconds = 30;

const evidenceOf = ({ pod }: PodWithState): readonly Evidence[] => [
  { object: refOfPod(pod), field: 'metadata.deletionTimestamp', value: pod.metadata.deletionTimestamp ?? '' },
  ...(pod.metadata.finalizers ?? []).map((finalizer) => ({
    object: refOfPod(pod),
    field: 'metadata.finalizers',
    value: finalizer,
  })),
];

const notConfirmed =
  'Deletion of {pods} has been overdue since {since}: the kubelet of {node} does not confirm the deletion';
const readEvents = '[look] Read the events: `kubectl -n {namespace} describe pod {pod}`.';
const force =
  '[end] Only if no process of the Pod runs there, force the deletion: `kubectl -n {namespace} delete pod {pod} --force --grace-period=0`. [with] Until then, a drain of the node waits for this Pod.';

/** What the deletion of a Pod waits for: its finalizers, else its node. */
const reasonOf = ({ pod: { metadata, spec } }: Pick<PodWithState, 'pod'>) =>
  metadata.finalizers?.length ? metadata.finalizers : spec.nodeName;

export const replicaTerminatingStuck = badPodsCheck({
  id: 'replica-terminating-stuck',
  title: 'Pod is stuck in Terminating',
  why: 'A Pod that is being deleted is not a ready endpoint of its Service. A StatefulSet creates the replacement only after the Pod is removed; a Deployment does not wait.',
  advice:
    '[end] If a finalizer blocks the deletion, find the controller that must remove it. [end] If the node is not Ready, bring the node back. [end] Only if the machine of the node no longer exists, force the deletion: `kubectl -n {namespace} delete pod {pod} --force --grace-period=0`.',
  noRemedy: {
    because:
      'a finalizer or a failed node blocks the deletion, and a forced deletion can leave the Pod running twice',
  },
  messages: {
    finalizers: {
      text: '{pods} cannot be deleted while a finalizer remains ({finalizers}); the deletion has been overdue since {since}',
      advice:
        '[look] Find out whether a webhook rejects the update that removes the finalizer: `kubectl webhook doctor --from pod/{pod} -n {namespace}`. [end] Otherwise read the log of the controller that removes the finalizer. [end] Only if that controller no longer exists, remove the finalizer yourself: `kubectl -n {namespace} edit pod {pod}`.',
    },
    node: {
      text: 'Deletion of {pods} has been overdue since {since}: node {node} is not Ready ({detail}) and cannot confirm the deletion',
      advice:
        '[end] Bring the node back: `kubectl describe node {node}`. [end] If the machine of the node no longer exists, delete the Node, which also removes its Pods: `kubectl delete node {node}`.',
    },
    unconfirmed: {
      text: notConfirmed,
      advice: `${readEvents} [end] Restart the kubelet and the container runtime on node \`{node}\`. ${force}`,
    },
    // Of several Pods whose deletions have different reasons.
    overdue: 'Deletion of {pods} has been overdue since {since}',
    some: latent('Deletion of {pods} has been overdue since {since}; the Service sends no requests there'),
    someUnconfirmed: latent(
      notConfirmed,
      `${readEvents} [look] Read the log of the kubelet on node \`{node}\`: \`journalctl -u kubelet\`. ${force}`,
    ),
  },
  // The Pod is deleted for a reason, which also explains why it has no replacement.
  follows: ['workload-scaled-to-zero', 'workload-cannot-create-pods', 'rollout-paused', 'workload-missing'],
  references: [
    '/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-terminating',
    '/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination-forced',
  ],
  // deletionTimestamp is the end of the grace period, not its start.
  isBad: ({ pod }, { takenAt }) =>
    (secondsSince(pod.metadata.deletionTimestamp, takenAt) ?? 0) > cleanupSeconds,
  about: ({ each }) => ({ evidence: each.flatMap(evidenceOf) }),
  run({ backend, extent, first: { pod }, each }, facts, report) {
    // Since this time, the deletion of each of these Pods has been overdue.
    const since = each.reduce((latest, one) => {
      const { deletionTimestamp = '' } = one.pod.metadata;
      return deletionTimestamp > latest ? deletionTimestamp : latest;
    }, '');
    const alone = podsWithState(backend, facts).every(({ state }) => state.state === 'terminating');
    const isAlone = extent === 'all' && alone;
    const { finalizers = [] } = pod.metadata;
    const node = pod.spec.nodeName ?? 'its node';
    const nodeContext = podContext(pod, facts).node;
    const onNode = nodeContext && nodeProblem(nodeContext);
    const isSame = each.every((one) => isDeepStrictEqual(reasonOf(one), reasonOf({ pod })));
    if (!isAlone)
      return isSame && finalizers.length === 0 && nodeContext !== undefined && onNode === undefined
        ? report('someUnconfirmed', { since, node })
        : report('some', { since });
    if (!isSame) return report('overdue', { since });
    if (finalizers.length > 0) return report('finalizers', { since, finalizers: listed(finalizers) });
    return onNode === undefined
      ? report('unconfirmed', { since, node })
      : report('node', { since, node, detail: onNode.reason ?? onNode.status });
  },
});
