import { derive } from '../basics/derive.ts';
import type { Facts } from '../facts/snapshot.ts';

/** Namespaces of Pods that others need for networking, DNS or volumes, with their installers' names. */
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

/** The namespaces of the control plane, the network, DNS and storage in this cluster. */
export const systemNamespaces = derive(
  ['namespaces'],
  ({ namespaces }: Pick<Facts, 'namespaces'>): readonly string[] => [
    'kube-system',
    ...namespaces
      .all()
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-system' && known.has(name)),
  ],
);
