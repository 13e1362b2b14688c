import { ago } from '../../cluster/ago.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment, scaledBy } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const scaledToZeroByAPerson = defineScenario({
  slug: 'scaled-to-zero-by-a-person',
  story: [
    'Somebody scaled the backend to zero to have peace during a migration.',
    'The webhook fails closed.',
    'The migration cannot create anything.',
  ],
  parts: [
    namespace('migration'),
    service('migration/migration-guard'),
    deployment('migration/migration-guard', {
      replicas: 0,
      metadata: { managedFields: scaledBy('kubectl', ago('35m')) },
    }),
    validating('migration-guard', [
      webhook('migration-guard.example.com', { service: 'migration/migration-guard' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/migration-guard/migration-guard.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'workload-scaled-to-zero',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
