import type { Product } from './product.ts';

/** Its rotator is open-policy-agent/cert-controller: kubernetes-sigs/jobset pkg/util/cert/cert.go. */
export const jobSet: Product = {
  name: 'JobSet',
  services: ['jobset-webhook-service'],
  workloads: ['jobset'],
  writers: [
    {
      name: "JobSet's certificate rotator",
      managers: ['jobset'],
      fields: ['caBundle'],
      lasts: 'in the Secret jobset-webhook-server-cert',
    },
  ],
  rotation: {
    by: "JobSet's certificate rotator",
    secret: 'jobset-webhook-server-cert',
    days: 365,
    daysLeft: 90,
  },
};
