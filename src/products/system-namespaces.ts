import { derive } from '../facts/derive.ts';
import type { Facts } from '../facts/snapshot.ts';

/** Where the Pods run without which no other Pod gets a network, a name or a volume; as their installers name them. */
const known = new Set([
  'kube-system',
  'calico-system',
  'tigera-operator',
  'cilium',
  'kube-flannel',
  'kube-ovn',
  'openshift-dns',
  'openshift-multus',
  'openshift-ovn-kubernetes',
  'openshift-sdn',
  'longhorn-system',
  'openebs',
  'rook-ceph',
]);

/** The namespaces of the control plane, the network, DNS and storage that this cluster has. */
export const systemNamespaces = derive(
  ['namespaces'],
  ({ namespaces }: Pick<Facts, 'namespaces'>): readonly string[] => [
    'kube-system',
    ...[...namespaces.all()]
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-system' && known.has(name)),
  ],
);
