import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const twoSlicesPerService = defineScenario({
  slug: 'two-slices-per-service',
  story: [
    'Pods of two versions declare the named port with different numbers.',
    'The Service has a slice for each number.',
    'Either may be dialled.',
  ],
  parts: [
    namespace('versions'),
    service('versions/versioned', {
      selector: { tier: 'versioned' },
      ports: [{ port: 443, targetPort: 'webhook' }],
    }),
    deployment('versions/versioned-a', {
      labels: { tier: 'versioned' },
      container: { ports: [{ name: 'webhook', containerPort: 8443 }] },
    }),
    deployment('versions/versioned-b', {
      labels: { tier: 'versioned' },
      container: { ports: [{ name: 'webhook', containerPort: 9443 }] },
    }),
    validating('versioned', [webhook('versioned.example.com', { service: 'versions/versioned' })]),
  ],
  expect: [],
});
