import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const serviceNamespaceMissing = defineScenario({
  slug: 'service-namespace-missing',
  story: [
    'Somebody deleted the namespace of a policy engine that they had tried out.',
    'The webhook configuration is cluster-scoped and stayed.',
    'With it stayed the refusals.',
  ],
  source: 'https://github.com/kubeflow/kfctl/issues/404',
  parts: [
    validating('trial-policy', [webhook('policy.trial.example.com', { service: 'trial-policy/webhook' })]),
  ],
  expect: [
    {
      callout: 'validating/trial-policy/policy.trial.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'service-namespace-missing',
      effect: 'blocks',
      error: 'service "webhook" not found',
    },
  ],
});
