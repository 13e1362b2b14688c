import { endpointSlice, namespace, selectorlessService } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const endpointOfNoPod = defineScenario({
  slug: 'endpoint-of-no-pod',
  story: [
    'An EndpointSlice was written by hand, with the address of a Pod.',
    'The Pod was replaced and has another address now.',
    "The slice is nobody's to update.",
  ],
  parts: [
    namespace('legacy'),
    selectorlessService('legacy/admission'),
    {
      ...endpointSlice('legacy/admission', 'admission-manual', []),
      endpoints: [
        {
          addresses: ['198.51.100.250'],
          targetRef: { kind: 'Pod', namespace: 'legacy', name: 'admission-0' },
        },
      ],
    },
    validating('legacy-admission', [
      webhook('legacy-admission.example.com', { service: 'legacy/admission' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/legacy-admission/legacy-admission.example.com',
      state: 'unknown',
      link: 'backend',
      cause: 'endpoint-of-no-pod',
      effect: 'none',
    },
  ],
});
