import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { statefulSet } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const serviceHeadless = defineScenario({
  slug: 'service-headless',
  story: [
    "A StatefulSet's governing Service was used as the webhook's backend.",
    'It is headless: there is no address to dial, unless the API server dials endpoints itself.',
    'Nothing that can be read tells which of the two this API server does.',
  ],
  parts: [
    namespace('database'),
    service('database/database-operator', { clusterIP: 'None' }),
    statefulSet('database/database-operator'),
    validating('database-operator', [
      webhook('databases.database-operator.example.com', { service: 'database/database-operator' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/database-operator/databases.database-operator.example.com',
      state: 'unknown',
      link: 'routing',
      cause: 'service-headless',
      effect: 'none',
    },
  ],
});
