import type { Product } from './product.ts';

/** projectcapsule/capsule internal/controllers/tls/manager.go. */
export const capsule: Product = {
  name: 'Capsule',
  webhooks: ['.projectcapsule.dev'],
  services: ['capsule-webhook-service'],
  workloads: ['capsule'],
  writers: [
    {
      name: "Capsule's controller",
      managers: ['controller'],
      fields: ['caBundle'],
      lasts: 'in the Secret capsule-tls',
    },
  ],
  rotation: { by: "Capsule's controller", secret: 'capsule-tls', days: 180, daysLeft: 3 },
};
