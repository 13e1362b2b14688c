import type { Product } from './product.ts';

/** knative.dev/pkg webhook/certificates: made anew a week before its end. */
export const knative: Product = {
  name: 'Knative',
  webhooks: [
    '.webhook.serving.knative.dev',
    '.webhook.eventing.knative.dev',
    '.webhook.pipeline.tekton.dev',
    'webhook.serving.knative.dev',
    'webhook.eventing.knative.dev',
    'webhook.pipeline.tekton.dev',
  ],
  workloads: ['knative'],
  rotation: { by: 'the webhook itself', daysLeft: 7 },
};
