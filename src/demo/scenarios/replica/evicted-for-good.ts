import { evicted } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { barePod } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const evictedForGood = defineScenario({
  slug: 'evicted-for-good',
  story: [
    'A node ran out of disk and ended the Pods on it.',
    'This webhook is a Pod that no workload makes.',
    'Nothing makes it again.',
  ],
  parts: [
    namespace('gateway'),
    service('gateway/gateway-defaults'),
    barePod('gateway/gateway-defaults', {
      pods: [
        evicted('The node was low on resource: ephemeral-storage. Threshold quantity: 2Gi, available: 1Gi. '),
      ],
    }),
    validating('gateway-defaults', [
      webhook('gateway-defaults.example.com', { service: 'gateway/gateway-defaults' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/gateway-defaults/gateway-defaults.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-evicted',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
