import type { ServedResource } from '../../facts/served-resources.ts';
import { minorVersion } from '../server-version.ts';

/**
 * The minor release that removed an API version, or some kinds of it, since 1.25. APILifecycleRemoved in
 * k8s.io/api (zz_generated.prerelease-lifecycle.go) up to 1.38, without resources that no webhook is called
 * for.
 */
const removals: Readonly<Record<string, number | Readonly<Record<string, number>>>> = {
  'authentication.k8s.io/v1alpha1': 32,
  'authentication.k8s.io/v1beta1': { SelfSubjectReview: 33 },
  'autoscaling/v2beta1': 25,
  'autoscaling/v2beta2': 26,
  'batch/v1beta1': 25,
  'certificates.k8s.io/v1alpha1': { ClusterTrustBundle: 37 },
  'coordination.k8s.io/v1alpha1': 37,
  'coordination.k8s.io/v1alpha2': 38,
  'discovery.k8s.io/v1beta1': 25,
  'events.k8s.io/v1beta1': 25,
  'flowcontrol.apiserver.k8s.io/v1beta1': 26,
  'flowcontrol.apiserver.k8s.io/v1beta2': 29,
  'flowcontrol.apiserver.k8s.io/v1beta3': 32,
  'networking.k8s.io/v1alpha1': { IPAddress: 33, ServiceCIDR: 33 },
  'networking.k8s.io/v1beta1': { IPAddress: 37, ServiceCIDR: 37 },
  'node.k8s.io/v1beta1': 25,
  'policy/v1beta1': 25,
  'resource.k8s.io/v1alpha3': {
    DeviceClass: 37,
    ResourceClaim: 37,
    ResourceClaimTemplate: 37,
    ResourceSlice: 37,
  },
  'resource.k8s.io/v1beta1': 38,
  'storage.k8s.io/v1alpha1': { VolumeAttributesClass: 35 },
  'storage.k8s.io/v1beta1': { CSIStorageCapacity: 27, VolumeAttributesClass: 37 },
  'storagemigration.k8s.io/v1alpha1': 36,
};

/** True if this version of the API server no longer serves a resource. */
export function isRemovedIn(
  { group, version, kind }: Pick<ServedResource, 'group' | 'version' | 'kind'>,
  serverVersion: string,
): boolean {
  const removal = removals[`${group}/${version}`];
  const since = typeof removal === 'object' ? removal[kind] : removal;
  return since !== undefined && (minorVersion(serverVersion) ?? 0) >= since;
}
