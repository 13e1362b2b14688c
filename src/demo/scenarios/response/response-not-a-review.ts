import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responseNotAReview = defineScenario({
  slug: 'response-not-a-review',
  story: [
    'A default page answers in place of the webhook.',
    'It says 200, and is HTML.',
    'The API server cannot read a review from it.',
  ],
  parts: [
    namespace('welcome'),
    service('welcome/welcome-policy'),
    deployment('welcome/welcome-policy', { pods: [running({ answer: 'not-json' })] }),
    validating('welcome-policy', [
      webhook('welcome-policy.example.com', { service: 'welcome/welcome-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/welcome-policy/welcome-policy.example.com',
      state: 'failing',
      link: 'response',
      cause: 'response-not-a-review',
      effect: 'blocks',
    },
  ],
});
