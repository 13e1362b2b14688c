import { namespace, service } from '../../cluster/manifests.ts';
import { mutating, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const manyWebhooksOneService = defineScenario({
  slug: 'many-webhooks-one-service',
  story: [
    'One backend serves seven webhooks under different paths.',
    'They share everything but the path.',
    'There is one thing to look at, not seven.',
  ],
  parts: [
    namespace('busy'),
    service('busy/busy-operator'),
    deployment('busy/busy-operator', { replicas: 3 }),
    validating(
      'busy-operator',
      ['a', 'b', 'c', 'd'].map((kind) =>
        webhook(`${kind}.busy.example.com`, { service: 'busy/busy-operator', path: `/validate-${kind}` }),
      ),
    ),
    mutating(
      'busy-operator',
      ['a', 'b', 'c'].map((kind) =>
        webhook(`${kind}.defaults.busy.example.com`, {
          service: 'busy/busy-operator',
          path: `/mutate-${kind}`,
        }),
      ),
    ),
  ],
  expect: [],
});
