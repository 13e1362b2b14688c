import type { Product } from './product.ts';

/** dapr charts/dapr_sidecar_injector. */
export const dapr: Product = {
  name: 'Dapr',
  webhooks: ['.dapr.io'],
  enforces: { webhooks: ['sidecar-injector.dapr.io'], what: 'its sidecars' },
  workloads: ['dapr'],
};
