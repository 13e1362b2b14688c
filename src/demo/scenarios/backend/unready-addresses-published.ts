import { crashing, ready } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const unreadyAddressesPublished = defineScenario({
  slug: 'unready-addresses-published',
  story: [
    'The Service publishes addresses of Pods that are not ready, so that members of a cluster find each other.',
    'The webhook uses the same Service.',
    'It gets Pods that crash, as if they served.',
  ],
  parts: [
    namespace('storage'),
    service('storage/storage-operator', { publishNotReadyAddresses: true }),
    deployment('storage/storage-operator', { pods: [ready, crashing(2, 'panic: no leader elected\n')] }),
    validating('storage-operator', [
      webhook('volumes.storage-operator.example.com', { service: 'storage/storage-operator' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/storage-operator/volumes.storage-operator.example.com',
      state: 'degraded',
      cause: 'unready-addresses-published',
      effect: 'blocks',
    },
  ],
  also: ['replica-crash-looping'],
});
