import type { Product } from './product.ts';

export const istio: Product = {
  name: 'Istio',
  webhooks: ['.istio.io'],
  enforces: {
    webhooks: ['.sidecar-injector.istio.io'],
    what: 'its sidecars, and with them mutual TLS and authorization',
  },
  // istio pkg/kube/inject: webhook.go, and the templates of manifests/charts/istio-control/istio-discovery/files.
  injects: {
    webhooks: ['.sidecar-injector.istio.io'],
    what: 'Istio proxy',
    mark: 'sidecar.istio.io/status',
    refused: 'sidecar.istio.io/inject',
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
