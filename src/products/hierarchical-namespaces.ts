import type { Product } from './product.ts';

/** Its rotator is open-policy-agent/cert-controller: kubernetes-sigs/hierarchical-namespaces. */
export const hierarchicalNamespaces: Product = {
  name: 'Hierarchical Namespaces',
  webhooks: ['.hnc.x-k8s.io'],
  services: ['hnc-webhook-service'],
  workloads: ['hnc'],
  writers: [
    {
      name: "HNC's certificate rotator",
      managers: ['manager'],
      fields: ['caBundle'],
      lasts: 'in the Secret hnc-webhook-server-cert',
    },
  ],
  rotation: { by: "HNC's certificate rotator", secret: 'hnc-webhook-server-cert', days: 365, daysLeft: 90 },
};
