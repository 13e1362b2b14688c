import type { Product } from './product.ts';

/** kubeflow/spark-operator internal/controller/mutatingwebhookconfiguration. */
export const sparkOperator: Product = {
  name: 'Spark Operator',
  webhooks: ['.sparkoperator.k8s.io'],
  services: ['spark-operator-webhook-svc'],
  workloads: ['spark-operator'],
  writers: [
    {
      name: "Spark Operator's webhook",
      managers: ['spark-operator'],
      fields: ['caBundle'],
      lasts: 'in the Secret of its webhook',
    },
  ],
  rotation: { by: "Spark Operator's webhook" },
};
