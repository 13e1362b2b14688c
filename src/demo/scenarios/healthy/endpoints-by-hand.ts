import { endpointSlice, namespace, selectorlessService } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const endpointsByHand = defineScenario({
  slug: 'endpoints-by-hand',
  story: [
    'A Service without selector has an EndpointSlice written by hand.',
    'It leads to two machines outside the cluster.',
    'That is a supported way to run a backend.',
  ],
  parts: [
    namespace('outside'),
    selectorlessService('outside/appliance'),
    endpointSlice('outside/appliance', 'appliance-1', ['192.0.2.201', '192.0.2.202']),
    validating('appliance', [webhook('appliance.example.com', { service: 'outside/appliance' })]),
  ],
  expect: [],
});
