import type { Product } from './product.ts';

/** Two ways to mark what an Application tracks: https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/ */
export const argoCd: Product = {
  name: 'Argo CD',
  keepers: [
    { name: 'Argo CD Application', in: 'annotations', key: 'argocd.argoproj.io/tracking-id' },
    { name: 'Argo CD Application', in: 'labels', key: 'argocd.argoproj.io/instance' },
  ],
};
