import type { Product } from './product.ts';

/** Labels that its two controllers put on everything they apply. */
export const flux: Product = {
  name: 'Flux',
  keepers: [
    {
      name: 'Flux Kustomization',
      in: 'labels',
      key: 'kustomize.toolkit.fluxcd.io/name',
      namespaceKey: 'kustomize.toolkit.fluxcd.io/namespace',
    },
    {
      name: 'Flux HelmRelease',
      in: 'labels',
      key: 'helm.toolkit.fluxcd.io/name',
      namespaceKey: 'helm.toolkit.fluxcd.io/namespace',
    },
  ],
};
