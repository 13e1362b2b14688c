import { replicaEvicted } from '../../../../src/checks/replica/pod-failure/replica-evicted.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { pod } from '../../../support/snapshot.ts';
import { ago, as, beside, doubts, only, silences, status, unready } from '../replicas.ts';

// The status of a Pod with a 1.35.4 kubelet whose emptyDir exceeded its limit.
const bad = unready({
  status: {
    phase: 'Failed',
    reason: 'Evicted',
    message: 'Usage of EmptyDir volume "s" exceeds the limit "1Mi". ',
    conditions: [{ type: 'Ready', status: 'False', reason: 'PodFailed' }],
    containerStatuses: [status({ state: { terminated: { exitCode: 137, reason: 'Error' } } })],
  },
});
const found = {
  pods: 'Pod policy-1',
  detail: 'Evicted: Usage of EmptyDir volume "s" exceeds the limit "1Mi"',
};
const withMessage = (message: string) => unready({ status: { ...bad.status, message } });

/** Evicted Pods that were created so long ago, and the Pod that has replaced them. */
const evictedBefore = (...[of, ages]: readonly [Pod, readonly number[]]) =>
  only([
    ...ages.map((age, at) =>
      as(of, { name: `policy-${at + 2}`, uid: `uid-${at + 2}`, creationTimestamp: ago(age) }),
    ),
    as(pod(), { creationTimestamp: ago(30) }),
  ]);
const often = { workload: 'Deployment policy', count: 2 };

describeCheck(replicaEvicted, {
  reports: [
    {
      name: 'a Pod that exceeded the limit of a volume',
      facts: only([bad]),
      expect: { messageId: 'limit', data: found },
    },
    {
      name: 'a Pod whose container exceeded its ephemeral storage',
      facts: only([withMessage('Container webhook exceeded its local ephemeral storage limit "1Mi". ')]),
      expect: {
        messageId: 'limit',
        data: {
          pods: 'Pod policy-1',
          detail: 'Evicted: Container webhook exceeded its local ephemeral storage limit "1Mi"',
        },
      },
    },
    {
      name: 'a Pod that nothing replaces on a node without memory',
      facts: only([withMessage('The node was low on resource: memory. ')]),
      expect: {
        messageId: 'all',
        data: { pods: 'Pod policy-1', detail: 'Evicted: The node was low on resource: memory' },
      },
    },
    {
      name: 'a Pod without a controller',
      facts: only([as(bad, { ownerReferences: [] })]),
      expect: { messageId: 'alone', data: found },
    },
    {
      name: 'a Pod that a node would not take in',
      facts: only([
        unready({
          status: {
            phase: 'Failed',
            reason: 'UnexpectedAdmissionError',
            message: 'Pod was rejected: no device',
          },
        }),
      ]),
      expect: {
        messageId: 'rejected',
        data: { pods: 'Pod policy-1', detail: 'UnexpectedAdmissionError: no device' },
      },
    },
    {
      name: 'two Pods that exceeded a limit of the template, and were replaced',
      facts: evictedBefore(bad, [600, 300]),
      expect: {
        messageId: 'repeatedLimit',
        data: { ...often, detail: 'Usage of EmptyDir volume "s" exceeds the limit "1Mi"' },
        names: { pod: 'policy-3' },
      },
    },
    {
      name: 'two Pods on a node without memory that were replaced',
      facts: evictedBefore(withMessage('The node was low on resource: memory. '), [600, 300]),
      expect: {
        messageId: 'repeated',
        data: { ...often, detail: 'The node was low on resource: memory' },
      },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([as(bad, { creationTimestamp: ago(60) })]),
      expect: { messageId: 'some', data: found },
    },
  ],
  reportsNothing: [
    ...silences(bad),
    {
      name: 'its ReplicaSet has made another since',
      facts: only([bad, as(unready(), { name: 'policy-2', uid: 'uid-2', creationTimestamp: ago(60) })]),
    },
    { name: 'one Pod was evicted and replaced', facts: evictedBefore(bad, [600]) },
    { name: 'Pods were evicted hours ago', facts: evictedBefore(bad, [9000, 8000]) },
    {
      name: 'a container failed and ended the Pod',
      facts: only([
        unready({
          status: {
            phase: 'Failed',
            containerStatuses: [status({ state: { terminated: { exitCode: 1 } } })],
          },
        }),
      ]),
    },
  ],
  isUnknown: doubts,
});
