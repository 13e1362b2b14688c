import { leaving } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const terminatingBesideReady = defineScenario({
  slug: 'terminating-beside-ready',
  story: ['A Pod is being deleted in good order.', 'Others are ready.', 'Calls go to them.'],
  parts: [
    namespace('shrinking'),
    service('shrinking/shrinking-policy'),
    deployment('shrinking/shrinking-policy', { previous: [leaving] }),
    validating('shrinking-policy', [
      webhook('shrinking-policy.example.com', { service: 'shrinking/shrinking-policy' }),
    ]),
  ],
  expect: [],
});
