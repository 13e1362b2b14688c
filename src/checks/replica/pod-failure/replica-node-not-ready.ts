import { conditionOf } from '../../../facts/workloads/pod-state.ts';
import { brief } from '../../../phrases/brief.ts';
import { agreeing, namedList } from '../../../phrases/lists.ts';
import { inState, reasonText } from '../../../pods/bad-replicas.ts';
import { latent, undecided } from '../../check.ts';
import { badPodsCheck } from '../bad-pods-check.ts';

export const replicaNodeNotReady = badPodsCheck({
  id: 'replica-node-not-ready',
  title: 'Pod is on a node that is not Ready',
  why: 'When a node is not Ready, the control plane marks its Pods as not Ready, and they receive no requests. A Deployment replaces them after five minutes (`tolerationSeconds: 300`), a StatefulSet only when the node is back or its Node is deleted.',
  advice:
    '[end] To replace the Pods at once, restart the Deployment (not of `strategy` Recreate): `kubectl -n {namespace} rollout restart {recreated}`. [look] Read the conditions of the node: `kubectl describe node {node}`. [end] Bring the node back: its machine, its kubelet or its container runtime. [end] If the machine of the node no longer exists, delete the Node: `kubectl delete node {node}`.',
  noRemedy: 'in-the-node',
  sharedCause: true,
  messages: {
    all: '{nodes}, which {run} {pods}, {are} not Ready ({detail})',
    pinned: {
      text: '{pods} cannot start: nodeName in the Pod template is {node}, and there is no such node',
      advice:
        'Remove `nodeName` from the Pod template, so that the scheduler selects a node: `kubectl -n {namespace} edit {workload}`.',
    },
    missing: {
      text: '{pods} cannot run: {nodes} no longer {exist}',
      advice:
        '[with] The control plane deletes such Pods within minutes. [end] To replace a Pod at once, delete it: `kubectl -n {namespace} delete pod {pod} --force --grace-period=0`.',
    },
    reachable: undecided(
      '{nodes}, which {run} {pods}, {are} not Ready ({detail}), and requests are still sent there',
    ),
    unreachable: latent('{nodes}, which {run} {pods}, {are} not Ready ({detail}); other Pods serve requests'),
  },
  follows: ['bootstrap-deadlock'],
  references: [
    '/docs/reference/node/node-status/#condition',
    '/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions',
  ],
  isBad: inState('node-not-ready'),
  run({ extent, first, each, names: { affected } }, _facts, report) {
    const nodeNames = [...new Set(each.map(({ pod }) => pod.spec.nodeName ?? ''))];
    const [node = '', ...others] = nodeNames;
    const nodes = namedList('Node', nodeNames, 2);
    const agree = (singular: string, plural: string) => agreeing(nodeNames.length, singular, plural);
    if (extent === 'all' && first.state.reason === 'NodeMissing') {
      // The binding by a scheduler sets this condition.
      const isPinned = conditionOf(first.pod.status.conditions, 'PodScheduled') === undefined;
      return isPinned && others.length === 0
        ? report('pinned', { node })
        : report('missing', { nodes, exist: agree('exists', 'exist') });
    }
    const detail = brief(reasonText(first.state));
    // Only a Deployment creates Pods before the old ones have ended.
    const recreated = affected?.startsWith('deployment/') === true ? affected : undefined;
    const data = { nodes, run: agree('runs', 'run'), are: agree('is', 'are'), detail };
    return report(extent, data, { recreated });
  },
});
