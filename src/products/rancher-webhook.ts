import type { Product } from './product.ts';

/** rancher/webhook pkg/server/server.go: makes its configurations when its authority changes. */
export const rancherWebhook: Product = {
  name: 'Rancher Webhook',
  webhooks: ['rancher.cattle.io'],
  services: ['rancher-webhook'],
  registersItself: { service: 'rancher-webhook', otherwise: "Rancher's own objects are written unchecked" },
  workloads: ['rancher-webhook'],
  writers: [
    {
      name: "Rancher's webhook",
      managers: ['webhook', 'rancher-webhook'],
      fields: ['caBundle', 'failurePolicy', 'namespaceSelector', 'rules', 'timeoutSeconds'],
      lasts: 'nowhere: it makes its configurations anew when it starts',
    },
  ],
  rotation: { by: "Rancher's webhook", secret: 'cattle-webhook-tls' },
};
