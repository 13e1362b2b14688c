import { rolloutPaused } from '../../../src/checks/backend/rollout-paused.ts';
import type { Workload } from '../../../src/facts/objects/workload.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, pod, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from './empty-backend.ts';

const having = (one: Workload) => empty({ workloads: lists({ shop: [one] }), events: lists({ shop: [] }) });
const paused = (status: object, metadata: object = {}) =>
  workload({ spec: { paused: true }, status, metadata });
const revised = { replicas: 2, currentRevision: 'policy-1', updateRevision: 'policy-2' };
const held = (kind: Workload['kind'], spec: object, status: object = revised, metadata: object = {}) => ({
  ...workload({ spec, status, metadata }),
  kind,
});
const refusal = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'pods "policy-6678d86c-x8kfs" is forbidden: exceeded quota: tight, requested: pods=1',
} as const;

/** A StatefulSet whose former template was restored: its revision is the current one again, and its Pod has this one. */
const restored = (revision: string, deletionTimestamp?: string) => ({
  ...having(held('StatefulSet', {}, { ...revised, updateRevision: 'policy-1' })),
  pods: lists({
    'shop/policy': [
      pod({
        metadata: {
          name: 'policy-0',
          labels: { 'controller-revision-hash': revision },
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'policy', uid: 'u', controller: true },
          ],
          ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
        },
      }),
    ],
  }),
});

describeCheck(rolloutPaused, {
  reports: [
    {
      name: 'a Deployment that was paused before its first Pod',
      facts: having(paused({})),
      expect: { messageId: 'none', data: { workload: 'Deployment policy' } },
    },
    {
      name: 'a Deployment whose Pod template was changed while it is paused',
      facts: having(paused({ replicas: 1 })),
      expect: { messageId: 'outdated', data: { workload: 'Deployment policy' } },
    },
    {
      name: 'a DaemonSet that replaces a Pod only when it is deleted',
      facts: having(
        held(
          'DaemonSet',
          { updateStrategy: { type: 'OnDelete' } },
          { currentNumberScheduled: 1, desiredNumberScheduled: 1 },
        ),
      ),
      expect: {
        messageId: 'onDelete',
        data: { workload: 'DaemonSet policy' },
        names: { labels: 'app=policy' },
      },
    },
    {
      name: 'a StatefulSet whose partition covers all its Pods',
      facts: having(
        held('StatefulSet', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
      ),
      expect: { messageId: 'partition', data: { workload: 'StatefulSet policy' } },
    },
    {
      name: 'a StatefulSet that waits for a Pod of its earlier template',
      facts: having(
        held('StatefulSet', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } }),
      ),
      expect: { messageId: 'ordered', data: { workload: 'StatefulSet policy' } },
    },
    {
      name: 'a StatefulSet whose former template was restored, and whose Pod has the broken one',
      facts: restored('policy-2'),
      expect: { messageId: 'ordered', names: { labels: 'app=policy' } },
    },
  ],
  reportsNothing: [
    { name: 'the Pod of a StatefulSet has its template', facts: restored('policy-1'), outcome: 'pass' },
    {
      name: 'the Pod of another template is being deleted',
      facts: restored('policy-2', '2025-12-31T23:59:58Z'),
      outcome: 'pass',
    },
    {
      name: 'a StatefulSet that does not wait',
      facts: having(held('StatefulSet', { podManagementPolicy: 'Parallel' })),
      outcome: 'pass',
    },
    {
      name: 'its Pods have the current template',
      facts: having(held('StatefulSet', {}, { ...revised, updatedReplicas: 2 })),
      outcome: 'pass',
    },
    {
      name: 'a StatefulSet whose template has not changed',
      facts: having(held('StatefulSet', {}, { ...revised, updateRevision: 'policy-1' })),
      outcome: 'pass',
    },
    {
      name: 'a DaemonSet that replaces its Pods',
      facts: having(held('DaemonSet', {}, { currentNumberScheduled: 1, desiredNumberScheduled: 1 })),
      outcome: 'pass',
    },
    {
      name: 'the controller has not processed the template',
      facts: having(held('StatefulSet', {}, { ...revised, observedGeneration: 1 }, { generation: 2 })),
      outcome: 'pass',
    },
    { name: 'the backend is healthy', facts: healthy(), outcome: 'not-applicable' },
    { name: 'the Deployment is not paused', facts: having(workload({ status: {} })), outcome: 'pass' },
    {
      name: 'a Deployment paused in a rollout has Pods of its template',
      facts: having(paused({ replicas: 2, updatedReplicas: 1 })),
      outcome: 'pass',
    },
    {
      name: 'its Pods are refused',
      facts: having(paused({ replicas: 0, conditions: [refusal] })),
      outcome: 'pass',
    },
    {
      name: 'no controller has processed it',
      facts: having(paused({}, { generation: 2, creationTimestamp: '2025-12-31T23:58:00Z' })),
      outcome: 'pass',
    },
    {
      name: 'it is scaled to zero',
      facts: having({ ...paused({}), spec: { ...paused({}).spec, replicas: 0 } }),
      outcome: 'pass',
    },
  ],
  isUnknown: [
    {
      name: 'workloads could not be read',
      facts: { ...empty(), workloads: forbidden() },
    },
  ],
});
