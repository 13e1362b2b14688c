import { running } from '../../cluster/behaviour.ts';
import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const addressNotAllowed = defineScenario({
  slug: 'address-not-allowed',
  story: [
    'A managed control plane calls addresses of its own network only.',
    'The CNI gives Pods addresses of another one.',
    'It refuses before it dials.',
  ],
  source: 'https://github.com/cilium/cilium/issues/30111',
  parts: [
    namespace('managed'),
    service('managed/managed-policy'),
    deployment('managed/managed-policy', { pods: [running({ network: 'not-allowed' })] }),
    validating('managed-policy', [
      webhook('managed-policy.example.com', { service: 'managed/managed-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/managed-policy/managed-policy.example.com',
      state: 'failing',
      link: 'network',
      cause: 'address-not-allowed',
      effect: 'blocks',
    },
  ],
});
