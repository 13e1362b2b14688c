import { crashing } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const crashLoop = defineScenario({
  slug: 'crash-loop',
  story: [
    'The new version of a webhook needs a flag that nobody set.',
    'It prints so, and ends.',
    'Its last lines say more than any probe.',
  ],
  parts: [
    namespace('payments'),
    service('payments/payments-policy'),
    deployment('payments/payments-policy', {
      pods: [crashing(2, 'starting payments-policy 3.1.0\nerror: --cluster-name must be set\n')],
    }),
    validating('payments-policy', [
      webhook('payments-policy.example.com', { service: 'payments/payments-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/payments-policy/payments-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-crash-looping',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
