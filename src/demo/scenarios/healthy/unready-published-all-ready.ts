import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const unreadyPublishedAllReady = defineScenario({
  slug: 'unready-published-all-ready',
  story: [
    'The Service publishes addresses that are not ready.',
    'All Pods are ready.',
    'So far that makes no difference.',
  ],
  parts: [
    namespace('published'),
    service('published/published-policy', { publishNotReadyAddresses: true }),
    deployment('published/published-policy'),
    validating('published-policy', [
      webhook('published-policy.example.com', { service: 'published/published-policy' }),
    ]),
  ],
  expect: [],
});
