import type { Product } from './product.ts';

/** strimzi/drain-cleaner install: cert-manager or OpenShift keeps its certificate, or nobody. */
export const strimziDrainCleaner: Product = {
  name: 'Strimzi Drain Cleaner',
  webhooks: ['strimzi-drain-cleaner.strimzi.io'],
  workloads: ['strimzi-drain-cleaner'],
};
