import { crashing, ready } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const oneOfTwoCrashes = defineScenario({
  slug: 'one-of-two-crashes',
  story: [
    'One of two replicas crashes.',
    'The other is ready and gets all calls.',
    'Nothing fails, and there is no second one left.',
  ],
  parts: [
    namespace('inventory'),
    service('inventory/inventory-policy'),
    deployment('inventory/inventory-policy', { pods: [ready, crashing(1, 'no space left on device\n')] }),
    validating('inventory-policy', [
      webhook('inventory-policy.example.com', { service: 'inventory/inventory-policy' }),
    ]),
  ],
  expect: [],
  also: ['replica-crash-looping'],
});
