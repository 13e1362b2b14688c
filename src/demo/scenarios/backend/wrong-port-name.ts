import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const wrongPortName = defineScenario({
  slug: 'wrong-port-name',
  story: [
    "The Service's targetPort is a name.",
    "The container's port was renamed in a refactoring.",
    'Ready Pods stay out of the slice of that port.',
  ],
  source: 'https://github.com/banzaicloud/koperator/pull/896',
  parts: [
    namespace('secrets-sync'),
    service('secrets-sync/secrets-sync', { ports: [{ port: 443, targetPort: 'webhook' }] }),
    deployment('secrets-sync/secrets-sync', {
      container: { ports: [{ name: 'https-webhook', containerPort: 8443 }] },
    }),
    validating('secrets-sync', [
      webhook('secrets-sync.example.com', { service: 'secrets-sync/secrets-sync' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/secrets-sync/secrets-sync.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'target-port-name-missing',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
