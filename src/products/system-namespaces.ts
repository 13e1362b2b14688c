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

/** Asked for each webhook; facts never change. */
const found = new WeakMap<Facts['namespaces'], readonly string[]>();

/** The namespaces of the control plane, the network, DNS and storage that this cluster has. */
export function systemNamespaces({ namespaces }: Pick<Facts, 'namespaces'>): readonly string[] {
  const names = found.get(namespaces) ?? [
    'kube-system',
    ...[...namespaces.all()]
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-system' && known.has(name)),
  ];
  found.set(namespaces, names);
  return names;
}
