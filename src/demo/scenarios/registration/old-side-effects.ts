import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const oldSideEffects = defineScenario({
  slug: 'old-side-effects',
  story: [
    'A webhook was registered years ago, with sideEffects Unknown.',
    'No version of the API that is served today would accept that, and none takes it away.',
    'Every dry run that it covers is refused, whatever failurePolicy says.',
  ],
  parts: [
    namespace('antique'),
    service('antique/antique-policy'),
    deployment('antique/antique-policy'),
    validating('antique-policy', [
      webhook('antique-policy.example.com', { service: 'antique/antique-policy', sideEffects: 'Unknown' }),
    ]),
  ],
  expect: [],
  also: ['side-effects-refuse-dry-run'],
});
