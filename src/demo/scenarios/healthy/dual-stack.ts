import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const dualStack = defineScenario({
  slug: 'dual-stack',
  story: [
    'The Service has addresses of both families.',
    'Each family has its own slice, and that of IPv6 is empty: Pods have IPv4 only.',
    'The API server dials the first family.',
  ],
  parts: [
    namespace('dual'),
    service('dual/dual-policy', { ipFamilies: ['IPv4', 'IPv6'] }),
    deployment('dual/dual-policy'),
    validating('dual-policy', [webhook('dual-policy.example.com', { service: 'dual/dual-policy' })]),
  ],
  expect: [],
});
