import type { Product } from './product.ts';

/** elastic/cloud-on-k8s pkg/controller/webhook; the operator patches the caBundle of each webhook. */
export const elasticCloud: Product = {
  name: 'Elastic Cloud on Kubernetes',
  webhooks: ['.k8s.elastic.co'],
  workloads: ['elastic-operator'],
  writers: [
    {
      name: "Elastic's operator",
      managers: ['elastic-operator'],
      fields: ['caBundle'],
      lasts: "in the Secret of the operator's webhook",
    },
  ],
  rotation: { by: "Elastic's operator" },
};
