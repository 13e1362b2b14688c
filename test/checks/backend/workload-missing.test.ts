import { workloadMissing } from '../../../src/checks/backend/workload-missing.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, lists, objects, pod, service, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { empty } from './empty-backend.ts';

const found = { service: 'shop/policy', selector: 'app=policy', namespace: 'shop' };
const stranger = workload({
  metadata: { name: 'frontend' },
  spec: {
    template: {
      metadata: { labels: { team: 'a' } },
      spec: { containers: [{ name: 'main', ports: [{ containerPort: 80 }] }] },
    },
  },
});

describeCheck(workloadMissing, {
  reports: [
    {
      name: 'a namespace without workloads',
      facts: empty({ workloads: lists({ shop: [] }) }),
      expect: { messageId: 'none', data: found },
    },
    {
      name: 'a namespace that is not in the list at all',
      facts: empty({ workloads: lists({}) }),
      expect: { messageId: 'none', data: found },
    },
    {
      name: 'the last Pods going after their workload',
      facts: empty({
        workloads: lists({ shop: [] }),
        pods: lists({ 'shop/policy': [pod({ metadata: { deletionTimestamp: '2026-01-01T00:00:20Z' } })] }),
      }),
      expect: { messageId: 'none', data: found },
    },
    {
      name: 'a namespace in which only strangers live',
      facts: empty({ workloads: lists({ shop: [stranger] }) }),
      expect: { messageId: 'none', data: found },
    },
  ],
  reportsNothing: [
    { name: 'the backend is healthy', facts: healthy(), outcome: 'not-applicable' },
    { name: 'a workload makes such Pods', facts: empty() },
    {
      name: 'a ReplicaSet of a controller of another kind makes such Pods',
      facts: empty({
        workloads: lists({
          shop: [
            workload({
              kind: 'ReplicaSet',
              metadata: {
                ownerReferences: [
                  {
                    apiVersion: 'argoproj.io/v1alpha1',
                    kind: 'Rollout',
                    name: 'policy',
                    uid: 'r',
                    controller: true,
                  },
                ],
              },
            }),
          ],
        }),
      }),
    },
    {
      name: 'a workload makes nearly such Pods',
      facts: empty({ services: objects(service({ selector: { app: 'polcy' } })) }),
    },
    {
      name: 'a bare Pod is selected',
      facts: empty({ workloads: lists({ shop: [] }), pods: lists({ 'shop/policy': [pod()] }) }),
    },
    {
      name: 'addresses were written by hand',
      facts: healthy({ workloads: lists({ shop: [] }), pods: lists({ 'shop/policy': [] }) }),
    },
  ],
  isUnknown: [{ name: 'workloads must not be read', facts: empty({ workloads: forbidden() }) }],
});
