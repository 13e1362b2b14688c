import type { Product } from './product.ts';

/** OLM makes webhook configurations from a ClusterServiceVersion's `webhookdefinitions`. */
export const operatorLifecycleManager: Product = {
  name: 'Operator Lifecycle Manager',
  keepers: [{ name: 'OLM, for', in: 'labels', key: 'olm.owner', namespaceKey: 'olm.owner.namespace' }],
};
