import { namespace, service } from '../../cluster/manifests.ts';
import { validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const selectorMatchesNoPod = defineScenario({
  slug: 'selector-matches-no-pod',
  story: [
    'The labels of the Pods were changed to the recommended ones.',
    'The Service still selects by the old label.',
    'All Pods are ready, and no endpoint is.',
  ],
  source: 'https://github.com/kubernetes-sigs/node-readiness-controller/issues/276',
  parts: [
    namespace('billing'),
    service('billing/billing-policy', { selector: { app: 'billing-policy', role: 'webhook' } }),
    deployment('billing/billing-policy', { labels: { role: 'admission' } }),
    validating('billing-policy', [
      webhook('billing-policy.example.com', { service: 'billing/billing-policy' }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/billing-policy/billing-policy.example.com',
      state: 'failing',
      link: 'backend',
      cause: 'selector-matches-no-pod',
      effect: 'blocks',
      error: 'connect: connection refused',
    },
  ],
});
