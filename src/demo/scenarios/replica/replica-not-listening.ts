import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const replicaNotListening = defineScenario({
  slug: 'replica-not-listening',
  story: [
    'The container starts its metrics server and forgets the webhook server when a flag is off.',
    'Its readiness probe asks the metrics server, so both Pods are Ready.',
    'Nobody listens where calls arrive.',
  ],
  parts: [
    namespace('flags'),
    service('flags/flag-policy'),
    deployment('flags/flag-policy', { pods: [running({ listens: 'nowhere' })] }),
    validating('flag-policy', [webhook('flag-policy.example.com', { service: 'flags/flag-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/flag-policy/flag-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-not-listening',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
