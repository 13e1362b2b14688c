import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const workloadMissing = defineScenario({
  slug: 'workload-missing',
  story: [
    'The Deployment of a webhook was deleted to stop it.',
    'Service and configuration stayed.',
    'What it should have stopped is the opposite of what it stops now.',
  ],
  parts: [
    namespace('naming'),
    service('naming/naming-policy'),
    validating('naming-policy', [webhook('naming-policy.example.com', { service: 'naming/naming-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/naming-policy/naming-policy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-missing',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
