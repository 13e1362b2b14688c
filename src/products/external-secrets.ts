import type { Product } from './product.ts';

export const externalSecrets: Product = {
  name: 'External Secrets Operator',
  webhooks: ['.external-secrets.io'],
  workloads: ['external-secrets'],
  writers: [
    {
      name: "External Secrets' cert-controller",
      managers: ['external-secrets'],
      fields: ['caBundle'],
      lasts: 'in the Secret external-secrets-webhook',
    },
  ],
  rotation: { by: "External Secrets' cert-controller", secret: 'external-secrets-webhook' },
};
