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
    namespace('enrichment'),
    service('enrichment/enriching-policy'),
    deployment('enrichment/enriching-policy', { pods: [running({ delay: 2700 })] }),
    validating('enriching-policy', [
      webhook('enriching-policy.example.com', { service: 'enrichment/enriching-policy', timeoutSeconds: 5 }),
    ]),
  ],
  expect: [],
  also: ['response-slow'],
});
