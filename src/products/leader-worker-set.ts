import type { Product } from './product.ts';

/** Its rotator is open-policy-agent/cert-controller: kubernetes-sigs/lws pkg/cert/cert.go. */
export const leaderWorkerSet: Product = {
  name: 'LeaderWorkerSet',
  services: ['lws-webhook-service'],
  workloads: ['lws'],
  writers: [
    {
      name: "LeaderWorkerSet's certificate rotator",
      managers: ['lws'],
      fields: ['caBundle'],
      lasts: 'in the Secret lws-webhook-server-cert',
    },
  ],
  rotation: {
    by: "LeaderWorkerSet's certificate rotator",
    secret: 'lws-webhook-server-cert',
    days: 365,
    daysLeft: 90,
  },
};
