import type { Product } from './product.ts';

/** cloudnative-pg pkg/certs/k8s.go; 90 days and 7 before the end unless told (internal/configuration). */
export const cloudNativePg: Product = {
  name: 'CloudNativePG',
  webhooks: ['.cnpg.io'],
  workloads: ['cnpg'],
  writers: [
    {
      name: "CloudNativePG's operator",
      managers: ['manager'],
      fields: ['caBundle'],
      lasts: 'in the Secret cnpg-webhook-cert',
    },
  ],
  rotation: { by: "CloudNativePG's operator", secret: 'cnpg-webhook-cert', days: 90, daysLeft: 7 },
};
