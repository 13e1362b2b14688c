import type { Product } from './product.ts';

/** knative.dev/pkg webhook/certificates: of a week, made anew a day before their end; rules come from the program. */
export const knative: Product = {
  name: 'Knative',
  webhooks: ['.knative.dev'],
  workloads: ['knative'],
  writers: [
    {
      name: "Knative's webhook",
      managers: ['webhook'],
      fields: ['caBundle', 'namespaceSelector', 'rules'],
      lasts: 'in the Secret of the webhook’s certificates; rules only in the program',
    },
  ],
  rotation: { by: 'the webhook itself', secret: '{service}-certs', days: 7, daysLeft: 1 },
};
