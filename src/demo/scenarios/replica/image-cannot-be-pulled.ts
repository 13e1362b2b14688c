import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const imageCannotBePulled = defineScenario({
  slug: 'image-cannot-be-pulled',
  story: [
    'A release was rolled out whose image was never pushed.',
    'The old ReplicaSet was already gone.',
    'Each Pod waits for an image that does not come.',
  ],
  parts: [
    namespace('catalog'),
    service('catalog/catalog-policy'),
    deployment('catalog/catalog-policy', { container: { image: 'registry.invalid/catalog-policy:2.0.0' } }),
    validating('catalog-policy', [
      webhook('catalog-policy.example.com', { service: 'catalog/catalog-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/catalog-policy/catalog-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-image-pull-failing',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
