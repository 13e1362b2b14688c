import { rolloutPaused } from '../../../src/checks/backend/rollout-paused.ts';
import type { Workload } from '../../../src/facts/objects.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from './empty-backend.ts';

const having = (one: Workload) => empty({ workloads: lists({ shop: [one] }), events: lists({ shop: [] }) });
const paused = (status: object, metadata: object = {}) =>
  workload({ spec: { paused: true }, status, metadata });
const refusal = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'pods "policy-6678d86c-x8kfs" is forbidden: exceeded quota: tight, requested: pods=1',
} as const;

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
  ],
  reportsNothing: [
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
