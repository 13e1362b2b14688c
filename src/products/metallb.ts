import type { Product } from './product.ts';

/** Its rotator is open-policy-agent/cert-controller, which writes as MetalLB: metallb internal/k8s/webhook.go. */
export const metalLb: Product = {
  name: 'MetalLB',
  webhooks: ['.metallb.io'],
  workloads: ['metallb'],
  writers: [
    {
      name: "MetalLB's certificate rotator",
      managers: ['MetalLB'],
      fields: ['caBundle'],
      lasts: 'in the Secret metallb-webhook-cert',
    },
  ],
  rotation: { by: "MetalLB's certificate rotator", secret: 'metallb-webhook-cert', days: 365, daysLeft: 90 },
};
