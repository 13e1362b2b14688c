import { namespace, selectorlessService } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const endpointsByHandForgotten = defineScenario({
  slug: 'endpoints-by-hand-forgotten',
  story: [
    'A Service without selector is meant to get its endpoints from a script.',
    'The script did not run in this cluster.',
    'The Service is there, and leads nowhere.',
  ],
  parts: [
    namespace('edge'),
    selectorlessService('edge/gateway-admission'),
    validating('gateway-admission', [
      webhook('gateway-admission.example.com', { service: 'edge/gateway-admission' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/gateway-admission/gateway-admission.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'no-ready-endpoint',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
