import type { Product } from './product.ts';

/** knative.dev/pkg webhook: certificates of a week, made anew a day before their end; rules come from the program. */
export const tekton: Product = {
  name: 'Tekton',
  webhooks: ['.tekton.dev'],
  workloads: ['tekton'],
  writers: [
    {
      name: "Tekton's webhook",
      managers: ['webhook'],
      fields: ['caBundle', 'namespaceSelector', 'rules'],
      lasts: 'in the Secret webhook-certs; rules only in the program',
    },
  ],
  rotation: { by: "Tekton's webhook", secret: 'webhook-certs', days: 7, daysLeft: 1 },
};
