import type { Product } from './product.ts';

export const istio: Product = {
  name: 'Istio',
  webhooks: ['.istio.io'],
  workloads: ['istio'],
  writers: [
    {
      name: 'istiod',
      managers: ['pilot-discovery'],
      fields: ['caBundle', 'failurePolicy'],
      lasts: "in istiod's certificates; failurePolicy of its validation is Fail once istiod is ready",
    },
  ],
};
