import type { Product } from './product.ts';

export const prometheusOperator: Product = {
  name: 'Prometheus Operator',
  webhooks: ['.monitoring.coreos.com'],
  workloads: ['prometheus-operator', 'kube-prometheus'],
};
