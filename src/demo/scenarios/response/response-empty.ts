import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responseEmpty = defineScenario({
  slug: 'response-empty',
  story: [
    'A proxy in the Pod answers 200 to everything that it does not know.',
    'The body is empty.',
    'There is no review in it.',
  ],
  parts: [
    namespace('void'),
    service('void/void-policy'),
    deployment('void/void-policy', { pods: [running({ answer: 'empty' })] }),
    validating('void-policy', [webhook('void-policy.example.com', { service: 'void/void-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/void-policy/void-policy.example.com',
      state: 'failing',
      link: 'response',
      cause: 'response-empty',
      effect: 'blocks',
      error: '0-length response with status code: 200',
    },
  ],
});
