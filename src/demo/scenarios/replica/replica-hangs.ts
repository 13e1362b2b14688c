import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicaHangs = defineScenario({
  slug: 'replica-hangs',
  story: [
    'Every handler waits for a cache that never fills.',
    'Connections and handshakes succeed, and the readiness probe does not ask a handler.',
    'Each request waits for the whole timeout, then fails.',
  ],
  parts: [
    namespace('caches'),
    service('caches/cache-policy'),
    deployment('caches/cache-policy', { pods: [running({ fault: 'hang-http' })] }),
    validating('cache-policy', [
      webhook('cache-policy.example.com', { service: 'caches/cache-policy', timeoutSeconds: 1 }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/cache-policy/cache-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-hangs',
      effect: 'blocks',
      error: 'context deadline exceeded',
    },
  ],
});
