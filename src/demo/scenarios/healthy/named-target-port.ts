import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const namedTargetPort = defineScenario({
  slug: 'named-target-port',
  story: ['The targetPort is a name.', 'Every Pod declares it.', 'Versions may even use different numbers.'],
  parts: [
    namespace('named'),
    service('named/named-policy', {
      ports: [
        { name: 'https', port: 443, targetPort: 'webhook' },
        { name: 'metrics', port: 8080, targetPort: 'metrics' },
      ],
    }),
    deployment('named/named-policy', {
      container: {
        ports: [
          { name: 'webhook', containerPort: 9443 },
          { name: 'metrics', containerPort: 8080 },
        ],
      },
    }),
    validating('named-policy', [webhook('named-policy.example.com', { service: 'named/named-policy' })]),
  ],
  expect: [],
});
