import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const oneReplicaFailsOpen = defineScenario({
  slug: 'one-replica-fails-open',
  story: ['There is one replica.', 'The webhook ignores failures.', 'An outage stops nobody.'],
  parts: [
    namespace('modest'),
    service('modest/modest-defaults'),
    deployment('modest/modest-defaults', { replicas: 1 }),
    mutating('modest-defaults', [
      webhook('modest-defaults.example.com', { service: 'modest/modest-defaults', failurePolicy: 'Ignore' }),
    ]),
  ],
  expect: [],
});
