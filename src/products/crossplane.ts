import type { Product } from './product.ts';

/** crossplane internal/initializer/webhook_configurations.go: an init container of its Deployment. */
export const crossplane: Product = {
  name: 'Crossplane',
  webhooks: ['.crossplane.io'],
  workloads: ['crossplane'],
  writers: [
    {
      name: "Crossplane's init container",
      managers: ['crossplane'],
      fields: ['caBundle'],
      lasts: 'in the Secret crossplane-tls-ca; it writes when a Pod starts',
    },
  ],
  rotation: { by: "Crossplane's init container", secret: 'crossplane-root-ca' },
};
