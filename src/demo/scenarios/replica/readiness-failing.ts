import { notReady } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const readinessFailing = defineScenario({
  slug: 'readiness-failing',
  story: [
    'The readiness probe asks a port that the program moved away from.',
    'The program serves its webhook all the same.',
    'Its Pods run, are never ready, and get no calls.',
  ],
  parts: [
    namespace('routes'),
    service('routes/route-policy'),
    deployment('routes/route-policy', {
      pods: [
        notReady(
          'Get "https://198.51.100.10:8443/readyz": dial tcp 198.51.100.10:8443: connect: connection refused',
        ),
      ],
    }),
    validating('route-policy', [webhook('route-policy.example.com', { service: 'routes/route-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/route-policy/route-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-readiness-failing',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
