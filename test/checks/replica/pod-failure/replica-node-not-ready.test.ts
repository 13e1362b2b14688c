import { replicaNodeNotReady } from '../../../../src/checks/replica/pod-failure/replica-node-not-ready.ts';
import type { Node } from '../../../../src/facts/objects/node.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, objects, pod, workload } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { as, beside, doubts, only, silences, unready } from '../replicas.ts';

// The message of the node controller if a kubelet no longer reports (Kubernetes 1.35).
const silent: Node = {
  metadata: { name: 'n1' },
  status: {
    conditions: [
      {
        type: 'Ready',
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      },
    ],
  },
};
const detail = 'NodeStatusUnknown: Kubelet stopped posting node status';
const tainted: Node = {
  metadata: { name: 'n1' },
  spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
};
const found = { pods: 'Pod policy-1', nodes: 'Node n1', run: 'runs', are: 'is', detail };
const nodes = (...all: readonly Node[]) => ({ nodes: objects(...all) });
const lost = {
  ...pod(),
  status: { ...pod().status, conditions: [{ type: 'Ready', status: 'False' } as const] },
};

const ownedBy = (kind: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'policy', uid: 'deploy-1', controller: true }],
});

const unspoken = unready({ status: { containerStatuses: [] } });
const bound = unready({
  status: { containerStatuses: [], conditions: [{ type: 'PodScheduled', status: 'True' }] },
});

describeCheck(replicaNodeNotReady, {
  reports: [
    {
      name: 'a node that no longer reports',
      facts: only([lost], nodes(silent)),
      expect: { messageId: 'all', data: found, names: { recreated: 'deployment/policy' } },
    },
    ...(['StatefulSet', 'DaemonSet'] as const).map((kind) => ({
      name: `a node with a Pod of a ${kind}, which a restart does not replace`,
      facts: only([as(lost, ownedBy(kind))], {
        ...nodes(silent),
        workloads: lists({ shop: [workload({ kind })] }),
      }),
      expect: { messageId: 'all' as const, data: found, names: { recreated: undefined } },
    })),
    {
      name: 'several nodes',
      facts: only(
        [lost, { ...as(lost, { name: 'policy-2', uid: 'uid-2' }), spec: { ...lost.spec, nodeName: 'n2' } }],
        nodes(silent, { ...silent, metadata: { name: 'n2' } }),
      ),
      expect: {
        messageId: 'all',
        data: {
          pods: 'the 2 Pods of Deployment policy',
          nodes: 'Nodes n1 and n2',
          run: 'run',
          are: 'are',
          detail,
        },
      },
    },
    {
      name: 'a node of which only the taint shows it',
      facts: only([lost], nodes(tainted)),
      expect: {
        messageId: 'all',
        data: {
          ...found,
          detail: 'node.kubernetes.io/unreachable: taint node.kubernetes.io/unreachable:NoExecute',
        },
      },
    },
    {
      name: 'a node in the Pod template that the cluster does not have',
      facts: only([unspoken], nodes()),
      expect: { messageId: 'pinned', data: { pods: 'Pod policy-1', node: 'n1' } },
    },
    {
      name: 'a node that was deleted since the Pod was scheduled',
      facts: only([bound], nodes()),
      expect: { messageId: 'missing', data: { pods: 'Pod policy-1', nodes: 'Node n1', exist: 'exists' } },
    },
    {
      name: 'a Pod there that calls still meet',
      facts: beside([pod()], nodes(silent), true),
      expect: { messageId: 'reachable', data: found },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside(
        [{ ...lost, spec: { ...lost.spec, nodeName: 'n2' } }],
        nodes({ ...silent, metadata: { name: 'n2' } }),
      ),
      expect: { messageId: 'unreachable', data: { ...found, nodes: 'Node n2' } },
    },
  ],
  reportsNothing: [
    {
      name: 'the kubelet of an existing node has not reported yet',
      facts: only([unspoken], nodes({ metadata: { name: 'n1' } })),
    },
    ...silences(lost),
    {
      name: 'the node is ready',
      facts: only(
        [unready()],
        nodes({ metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
      ),
    },
    {
      name: 'the node is only cordoned',
      facts: only([lost], nodes({ metadata: { name: 'n1' }, spec: { unschedulable: true } })),
    },
    { name: 'nodes must not be read', facts: only([lost], { nodes: forbidden() }) },
  ],
  isUnknown: doubts,
});
