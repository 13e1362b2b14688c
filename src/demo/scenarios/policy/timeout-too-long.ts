import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const timeoutTooLong = defineScenario({
  slug: 'timeout-too-long',
  story: [
    'A webhook waits for up to thirty seconds.',
    'One hanging replica then holds every request that long.',
    'Clients give up first, and blame the API server.',
  ],
  parts: [
    namespace('patience'),
    service('patience/patient-policy'),
    deployment('patience/patient-policy'),
    validating('patient-policy', [
      webhook('patient-policy.example.com', { service: 'patience/patient-policy', timeoutSeconds: 30 }),
    ]),
  ],
  expect: [],
  also: ['timeout-too-long'],
});
