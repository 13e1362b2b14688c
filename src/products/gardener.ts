import type { Product } from './product.ts';

export const gardener: Product = {
  name: 'Gardener',
  keepers: [
    { name: 'Gardener resource manager, for', in: 'labels', key: 'resources.gardener.cloud/managed-by' },
  ],
};
