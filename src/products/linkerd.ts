import type { Product } from './product.ts';

export const linkerd: Product = {
  name: 'Linkerd',
  webhooks: ['.linkerd.io'],
  workloads: ['linkerd'],
};
