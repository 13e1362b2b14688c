import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { statefulSet } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const statefulReplicas = defineScenario({
  slug: 'stateful-replicas',
  story: [
    'A StatefulSet serves the webhook, behind an ordinary Service.',
    'Its Pods have names that stay.',
    'Nothing else differs.',
  ],
  parts: [
    namespace('stateful'),
    service('stateful/stateful-policy'),
    statefulSet('stateful/stateful-policy'),
    validating('stateful-policy', [
      webhook('stateful-policy.example.com', { service: 'stateful/stateful-policy' }),
    ]),
  ],
  expect: [],
});
