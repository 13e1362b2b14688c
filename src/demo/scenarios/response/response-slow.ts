import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const responseSlow = defineScenario({
  slug: 'response-slow',
  story: [
    'The webhook asks another service about every object.',
    'It needs most of the time that it has.',
    'Nothing fails yet.',
  ],
  parts: [
    namespace('patience'),
    service('patience/patient-policy'),
    deployment('patience/patient-policy', { pods: [running({ delay: 1200 })] }),
    validating('patient-policy', [
      webhook('patient-policy.example.com', { service: 'patience/patient-policy', timeoutSeconds: 2 }),
    ]),
  ],
  expect: [],
  also: ['response-slow'],
});
