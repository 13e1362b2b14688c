import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const quotaExhausted = defineScenario({
  slug: 'quota-exhausted',
  story: [
    'A ResourceQuota of zero Pods was put on the namespace of a webhook.',
    'The Deployment cannot make its Pods.',
    "There is no Pod to look at: only the ReplicaSet's condition and events tell.",
  ],
  parts: [
    namespace('tenants'),
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: 'tenants', name: 'frozen' },
      spec: { hard: { pods: '0' } },
    },
    service('tenants/tenant-policy'),
    deployment('tenants/tenant-policy'),
    validating('tenant-policy', [webhook('tenant-policy.example.com', { service: 'tenants/tenant-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/tenant-policy/tenant-policy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-cannot-create-pods',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
