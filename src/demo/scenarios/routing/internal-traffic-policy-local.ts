import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const internalTrafficPolicyLocal = defineScenario({
  slug: 'internal-traffic-policy-local',
  story: [
    'The Service of a webhook has internalTrafficPolicy Local.',
    "kube-proxy then uses endpoints on the caller's own node only.",
    'The caller is the API server, and its replicas run on workers.',
  ],
  parts: [
    namespace('audit'),
    service('audit/audit-policy', { internalTrafficPolicy: 'Local' }),
    deployment('audit/audit-policy'),
    validating('audit-policy', [webhook('audit-policy.example.com', { service: 'audit/audit-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/audit-policy/audit-policy.example.com',
      state: 'unknown',
      link: 'routing',
      cause: 'internal-traffic-policy-local',
    },
  ],
});
