import { namespace, service } from '../../cluster/manifests.ts';
import { rule, validating, webhook } from '../../cluster/webhook-manifests.ts';
import { deployment } from '../../cluster/workload-manifests.ts';
import { defineScenario } from '../scenario.ts';

export const serviceMissing = defineScenario({
  slug: 'service-missing',
  story: [
    "A chart upgrade renamed the webhook's Service.",
    'The configuration still names the old one.',
    'Every Ingress is refused, although the backend runs.',
  ],
  source: 'https://github.com/trustyai-explainability/trustyai-service-operator/pull/758',
  parts: [
    namespace('orders'),
    service('orders/order-policy'),
    deployment('orders/order-policy'),
    validating('order-policy', [
      webhook('ingresses.order-policy.example.com', {
        service: 'orders/order-policy-webhook',
        rules: [rule('networking.k8s.io/v1', 'ingresses')],
      }),
    ]),
  ],
  expect: [
    {
      callout: 'validating/order-policy/ingresses.order-policy.example.com',
      state: 'failing',
      link: 'routing',
      cause: 'service-missing',
      effect: 'blocks',
      error:
        'failed calling webhook "ingresses.order-policy.example.com": failed to call webhook: Post "https://order-policy-webhook.orders.svc:443/validate?timeout=5s": service "order-policy-webhook" not found',
    },
  ],
});
