import type { Product } from './product.ts';

/** kubernetes-sigs/cluster-api: cert-manager keeps its certificates. */
export const clusterApi: Product = {
  name: 'Cluster API',
  webhooks: ['.cluster.x-k8s.io'],
  workloads: ['capi-', 'capa-', 'capz-', 'capv-', 'capg-', 'capd-'],
};
