import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const configMapMissing = defineScenario({
  slug: 'config-map-missing',
  story: [
    'The webhook takes its settings from a ConfigMap through its environment.',
    'The ConfigMap was renamed.',
    'The kubelet cannot make the container.',
  ],
  parts: [
    namespace('labels'),
    service('labels/label-policy'),
    deployment('labels/label-policy', {
      container: { envFrom: [{ configMapRef: { name: 'label-policy-settings' } }] },
    }),
    validating('label-policy', [webhook('label-policy.example.com', { service: 'labels/label-policy' })]),
  ],
  expect: [
    {
      callout: 'validating/label-policy/label-policy.example.com',
      state: 'failing',
      link: 'replica',
      cause: 'replica-config-error',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
