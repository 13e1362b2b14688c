import type { Product } from './product.ts';

export const istio: Product = {
  name: 'Istio',
  webhooks: ['.istio.io'],
  enforces: {
    webhooks: ['.sidecar-injector.istio.io'],
    what: 'its sidecars, and with them mutual TLS and authorization',
  },
  workloads: ['istio'],
  writers: [
    {
      name: 'istiod',
      managers: ['pilot-discovery'],
      fields: ['caBundle', 'failurePolicy'],
      lasts: "in istiod's certificates; failurePolicy of its validation is Fail once istiod is ready",
    },
  ],
  rotation: { by: 'istiod' },
};
