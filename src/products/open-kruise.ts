import type { Product } from './product.ts';

/** openkruise pkg/webhook/util/controller: the manager fills in the caBundle. */
export const openKruise: Product = {
  name: 'OpenKruise',
  services: ['kruise-webhook-service'],
  workloads: ['kruise'],
  writers: [
    {
      name: "OpenKruise's manager",
      managers: ['manager', 'kruise-manager'],
      fields: ['caBundle'],
      lasts: 'in the Secret kruise-webhook-certs',
    },
  ],
  rotation: { by: "OpenKruise's manager", secret: 'kruise-webhook-certs' },
};
