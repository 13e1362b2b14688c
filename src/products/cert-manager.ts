import type { Product } from './product.ts';

export const certManager: Product = {
  name: 'cert-manager',
  webhooks: ['webhook.cert-manager.io', 'webhook.cert-manager.acme.io'],
  workloads: ['cert-manager'],
  writers: [
    {
      name: "cert-manager's cainjector",
      managers: ['cainjector', 'cert-manager-cainjector'],
      annotations: [
        'cert-manager.io/inject-ca-from',
        'cert-manager.io/inject-ca-from-secret',
        'cert-manager.io/inject-apiserver-ca',
      ],
      fields: ['caBundle'],
      lasts: 'in the Certificate or Secret that the annotation names',
    },
  ],
  rotation: {
    by: 'the webhook of cert-manager itself',
    secret: 'cert-manager-webhook-ca',
    authorityOnly: true,
    days: 7,
  },
};
