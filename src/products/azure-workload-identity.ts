import type { Product } from './product.ts';

/** Its rotator is open-policy-agent/cert-controller: azure-workload-identity cmd/webhook/main.go. */
export const azureWorkloadIdentity: Product = {
  name: 'Azure Workload Identity',
  webhooks: ['mutation.azure-workload-identity.io'],
  workloads: ['azure-wi-webhook'],
  writers: [
    {
      name: "Azure Workload Identity's certificate rotator",
      managers: ['azure-workload-identity'],
      fields: ['caBundle'],
      lasts: 'in the Secret azure-wi-webhook-server-cert',
    },
  ],
  rotation: {
    by: "Azure Workload Identity's certificate rotator",
    secret: 'azure-wi-webhook-server-cert',
    days: 365,
    daysLeft: 90,
  },
};
