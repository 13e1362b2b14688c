import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const noRules = defineScenario({
  slug: 'no-rules',
  story: [
    'A controller fills in the rules of its webhook later.',
    'So far there is none.',
    'A webhook without rules is never called.',
  ],
  parts: [
    namespace('dormant'),
    service('dormant/dormant-policy'),
    deployment('dormant/dormant-policy'),
    validating('dormant-policy', [
      webhook('dormant-policy.example.com', { service: 'dormant/dormant-policy', rules: [] }),
    ]),
  ],
  expect: [
    { callout: 'validating/dormant-policy/dormant-policy.example.com', state: 'healthy', effect: 'none' },
  ],
});
