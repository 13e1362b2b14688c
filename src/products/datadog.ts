import type { Product } from './product.ts';

export const datadog: Product = {
  name: 'Datadog Cluster Agent',
  workloads: ['datadog'],
  writers: [
    {
      name: 'the Datadog Cluster Agent',
      managers: ['datadog-cluster-agent'],
      fields: ['caBundle', 'namespaceSelector', 'rules'],
      lasts: "in the agent's configuration (`admissionController`)",
    },
  ],
};
