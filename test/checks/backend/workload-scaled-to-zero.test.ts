import { workloadScaledToZero } from '../../../src/checks/backend/workload-scaled-to-zero.ts';
import type { ManagedFields, Metadata } from '../../../src/facts/objects/metadata.ts';
import type { Workload, WorkloadKind } from '../../../src/facts/objects/workload.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from './empty-backend.ts';

const time = '2025-12-31T18:00:00Z';
const owning = (manager: string, subresource?: string): ManagedFields => ({
  manager,
  operation: 'Update',
  time,
  ...(subresource === undefined ? {} : { subresource }),
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
});
const controller: ManagedFields = {
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: 'status',
  time: '2025-12-31T20:00:00Z',
  fieldsV1: { 'f:status': { 'f:observedGeneration': {} } },
};
const off = (metadata: Partial<Metadata> = {}, kind: WorkloadKind = 'Deployment') =>
  workload({ kind, metadata, spec: { replicas: 0 }, status: { replicas: 0 } });
const having = (...workloads: readonly Workload[]) => empty({ workloads: lists({ shop: workloads }) });
const found = { workload: 'Deployment policy', namespace: 'shop' };

describeCheck(workloadScaledToZero, {
  reports: [
    {
      name: 'who edited it, of several writers the last',
      facts: having(
        off({
          managedFields: [
            { ...owning('helm'), time: '2025-12-01T00:00:00Z' },
            owning('kubectl-edit'),
            controller,
          ],
        }),
      ),
      expect: { messageId: 'byWriter', data: { ...found, manager: 'kubectl-edit', time } },
    },
    {
      name: 'a workload that was created so',
      facts: having(off({ creationTimestamp: time, managedFields: [owning('helm'), controller] })),
      expect: { messageId: 'created', data: { ...found, time } },
    },
    {
      name: 'a change through the scale subresource, without a field manager',
      // managedFields of a Deployment after `kubectl scale --replicas=0` on a 1.35.4 server.
      facts: having(
        off({
          managedFields: [
            {
              manager: 'kubectl-client-side-apply',
              operation: 'Update',
              time,
              fieldsV1: { 'f:spec': { 'f:template': {} } },
            },
            controller,
          ],
        }),
      ),
      expect: { messageId: 'throughScale', data: { ...found, time: '2025-12-31T20:00:00Z' } },
    },
    {
      name: 'a downscaler that left its mark',
      facts: having(off({ annotations: { 'downscaler/original-replicas': '2', 'example.com/team': 'a' } })),
      expect: { messageId: 'noTrace', data: found },
    },
    {
      name: 'a StatefulSet',
      facts: having(off({}, 'StatefulSet')),
      expect: { messageId: 'noTrace', data: { ...found, workload: 'StatefulSet policy' } },
    },
    {
      name: 'a DaemonSet that fits no node',
      facts: having(workload({ kind: 'DaemonSet', status: { desiredNumberScheduled: 0, numberReady: 0 } })),
      expect: { messageId: 'noNode', data: { ...found, workload: 'DaemonSet policy' } },
    },
  ],
  reportsNothing: [
    { name: 'the backend is healthy', facts: healthy(), outcome: 'not-applicable' },
    { name: 'replicas are wanted', facts: having(workload()) },
    {
      name: 'no controller has processed the DaemonSet',
      facts: having(
        workload({
          kind: 'DaemonSet',
          metadata: { generation: 1, creationTimestamp: '2025-12-31T23:58:00Z' },
          status: {},
        }),
      ),
    },
    {
      name: 'replicas is absent, which means one',
      facts: having({ ...workload(), spec: { selector: {}, template: workload().spec.template } }),
    },
    {
      name: 'another workload with the same labels wants Pods',
      facts: having(off(), workload({ metadata: { name: 'two' } })),
    },
    {
      name: 'only an old ReplicaSet is at zero',
      facts: having(
        workload(),
        off(
          {
            name: 'policy-old',
            ownerReferences: [
              { apiVersion: 'apps/v1', kind: 'Deployment', name: 'policy', uid: 'd', controller: true },
            ],
          },
          'ReplicaSet',
        ),
      ),
    },
    {
      name: 'a workload with other labels is at zero',
      facts: having({
        ...off(),
        spec: { ...off().spec, template: { metadata: { labels: { app: 'x' } }, spec: { containers: [] } } },
      }),
    },
    {
      name: 'its last Pods still serve',
      facts: healthy({ workloads: lists({ shop: [off()] }) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'workloads must not be read', facts: empty({ workloads: forbidden() }) }],
});
