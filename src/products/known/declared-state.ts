import type { Product } from '../product.ts';

/** Controllers that restore objects to their declared state. */
export const declaredState: readonly Product[] = [
  /**
   * Two ways to mark what an Application tracks:
   * https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
   */
  {
    name: 'Argo CD',
    declarationTools: [
      { name: 'Argo CD Application', in: 'annotations', key: 'argocd.argoproj.io/tracking-id' },
      { name: 'Argo CD Application', in: 'labels', key: 'argocd.argoproj.io/instance' },
    ],
  },
  /** Labels that its two controllers set on everything they apply. */
  {
    name: 'Flux',
    declarationTools: [
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
  },
  {
    name: 'Gardener',
    declarationTools: [
      { name: 'Gardener resource manager for', in: 'labels', key: 'resources.gardener.cloud/managed-by' },
    ],
  },
  /** OLM creates webhook configurations from a ClusterServiceVersion's `webhookdefinitions`. */
  {
    name: 'Operator Lifecycle Manager',
    declarationTools: [
      { name: 'OLM for', in: 'labels', key: 'olm.owner', namespaceKey: 'olm.owner.namespace' },
    ],
  },
];
