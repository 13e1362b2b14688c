import type { Product } from './product.ts';

/** A Job of many charts (ingress-nginx, kube-prometheus-stack), at installation and at each upgrade. */
export const webhookCertgen: Product = {
  name: 'kube-webhook-certgen',
  writers: [
    {
      name: 'the kube-webhook-certgen Job',
      managers: ['kube-webhook-certgen'],
      fields: ['caBundle', 'failurePolicy'],
      lasts: "in the chart's values; the Job writes again at the next upgrade",
    },
  ],
  rotation: { by: 'the kube-webhook-certgen Job', atUpgrade: true },
};
