import type { Product } from './product.ts';

/** Its rotator is open-policy-agent/cert-controller: kubernetes-sigs/kueue pkg/util/cert/cert.go. */
export const kueue: Product = {
  name: 'Kueue',
  services: ['kueue-webhook-service'],
  workloads: ['kueue'],
  writers: [
    {
      name: "Kueue's certificate rotator",
      managers: ['kueue'],
      fields: ['caBundle'],
      lasts: 'in the Secret kueue-webhook-server-cert',
    },
  ],
  rotation: {
    by: "Kueue's certificate rotator",
    secret: 'kueue-webhook-server-cert',
    days: 365,
    daysLeft: 90,
  },
};
