import { namespace, selectorlessService } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const serviceExternalName = defineScenario({
  slug: 'service-external-name',
  story: [
    'A team moved its admission service out of the cluster and left an ExternalName Service in its place.',
    'The API server dials that name from its own host, or refuses such Services, by its routing mode.',
    'Certificates must still be valid for the name of the Service.',
  ],
  parts: [
    namespace('central'),
    selectorlessService('central/admission', {
      type: 'ExternalName',
      externalName: 'admission.corp.example.com',
    }),
    validating('central-admission', [
      webhook('admission.central.example.com', { service: 'central/admission' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/central-admission/admission.central.example.com',
      state: 'unknown',
      link: 'routing',
      cause: 'service-external-name',
      effect: 'none',
    },
  ],
});
