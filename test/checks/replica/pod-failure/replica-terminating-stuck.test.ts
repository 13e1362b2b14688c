import { replicaTerminatingStuck } from '../../../../src/checks/replica/pod-failure/replica-terminating-stuck.ts';
import type { Node } from '../../../../src/facts/objects/node.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { objects } from '../../../support/snapshot.ts';
import { forbidden } from '../../../support/unread.ts';
import { ago, as, beside, doubts, only, silences, unready } from '../replicas.ts';

const since = ago(900);
const leaving = (over = {}) => as(unready(), { deletionTimestamp: since, ...over });
const held = leaving({ finalizers: ['example.com/hold'] });
const found = { pods: 'Pod policy-1', since };
const silent: Node = {
  metadata: { name: 'n1' },
  status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
};

const reporting: Node = {
  metadata: { name: 'n1' },
  status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
};

/** A second Pod, deleted before the first one. */
const second = (over = {}, nodeName?: string) => {
  const one = leaving({ name: 'policy-2', uid: 'uid-2', deletionTimestamp: ago(1000), ...over });
  return {
    ...one,
    spec: { ...one.spec, ...(nodeName !== undefined && { nodeName }) },
    status: { ...one.status, podIP: '198.51.100.12' },
  };
};
const both = 'Pods policy-1 and policy-2';
const silentToo: Node = { ...silent, metadata: { name: 'n2' } };

describeCheck(replicaTerminatingStuck, {
  reports: [
    {
      name: 'a finalizer without a controller',
      facts: only([held]),
      expect: { messageId: 'finalizers', data: { ...found, finalizers: 'example.com/hold' } },
    },
    {
      name: 'a node that cannot confirm the end',
      facts: only([leaving()], { nodes: objects(silent) }),
      expect: { messageId: 'node', data: { ...found, node: 'n1', detail: 'NodeStatusUnknown' } },
    },
    {
      name: 'a kubelet that does not confirm the end',
      facts: only([leaving()], { nodes: forbidden() }),
      expect: { messageId: 'unconfirmed', data: { ...found, node: 'n1' } },
    },
    {
      name: 'a Pod whose program has long ended',
      facts: only([{ ...held, status: { ...held.status, phase: 'Succeeded' } }]),
      expect: { messageId: 'finalizers' },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([held]),
      expect: { messageId: 'some', data: found },
    },
    {
      name: 'that the kubelet of a Ready node does not confirm the end, while others respond',
      facts: { ...beside([leaving()]), nodes: objects(reporting) },
      expect: { messageId: 'someUnconfirmed', data: { ...found, node: 'n1' } },
    },
    {
      name: 'the kubelet of a Ready node that does not confirm the end of two Pods',
      facts: { ...beside([leaving(), second()]), nodes: objects(reporting) },
      expect: { messageId: 'someUnconfirmed', data: { pods: both, since, node: 'n1' } },
    },
    {
      name: 'no kubelet if one of two Pods has a finalizer',
      facts: {
        ...beside([leaving(), second({ finalizers: ['example.com/hold'] })]),
        nodes: objects(reporting),
      },
      expect: { messageId: 'some', data: { pods: both, since } },
    },
    {
      name: 'no kubelet if one of two Pods is on a node that does not report',
      facts: { ...beside([leaving(), second({}, 'n2')]), nodes: objects(reporting, silentToo) },
      expect: { messageId: 'some', data: { pods: both, since } },
    },
    {
      name: 'no reason of one Pod for both if no other Pod responds',
      facts: only([leaving(), second({}, 'n2')], { nodes: objects(reporting, silentToo) }),
      expect: { messageId: 'overdue', data: { pods: 'the 2 Pods of Deployment policy', since } },
    },
    {
      name: 'no kubelet if the node does not report',
      facts: { ...beside([leaving()]), nodes: objects(silent) },
      expect: { messageId: 'some', data: found },
    },
    {
      name: 'a Pod whose replacement has troubles of its own',
      facts: only([held, as(unready(), { name: 'policy-2', uid: 'uid-2' })]),
      expect: { messageId: 'some', data: found },
    },
  ],
  reportsNothing: [
    ...silences(held).filter(({ name }) => name !== 'a rollout has replaced it'),
    { name: 'its grace period lasts', facts: only([leaving({ deletionTimestamp: ago(-20) })]) },
    { name: 'the kubelet is cleaning up', facts: only([leaving({ deletionTimestamp: ago(20) })]) },
    { name: 'it is not deleted', facts: only([unready()]) },
  ],
  isUnknown: doubts,
});
