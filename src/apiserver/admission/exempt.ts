import { behaves } from '../../facts/server-version.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** pkg/kubeapiserver/admission/exclusion/resources.go: nothing is stored, so from 1.37 on no webhook is asked. */
const virtual = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/** webhook/predicates/rules/rules.go IsExemptAdmissionConfigurationResource, with what came after the first two. */
const configuration: Readonly<Record<string, 'policies-exempt' | 'mutating-policies-exempt' | 'always'>> = {
  validatingwebhookconfigurations: 'always',
  mutatingwebhookconfigurations: 'always',
  validatingadmissionpolicies: 'policies-exempt',
  validatingadmissionpolicybindings: 'policies-exempt',
  mutatingadmissionpolicies: 'mutating-policies-exempt',
  mutatingadmissionpolicybindings: 'mutating-policies-exempt',
};

/**
 * Whether an API server of EKS may send a request to no webhook. Its builds leave out what a file on their disk names
 * (aws/eks-distro, patch "admission webhook exclusion from file"), and nobody outside can read that file: Leases of nodes,
 * and of kube-system the Leases of leaders and Pods, by their names or by the component that writes them.
 */
export function mayBeExcluded(
  { group, resource, namespace, user }: AdmissionRequest,
  version: string | undefined,
): boolean {
  if (!version?.includes('-eks-')) return false;
  const isPerson = user !== undefined && !user.username.startsWith('system:');
  const ofSystem = namespace === 'kube-system' && !isPerson;
  return resource === 'leases'
    ? group === 'coordination.k8s.io' && (ofSystem || namespace === 'kube-node-lease')
    : resource === 'pods' && group === '' && ofSystem;
}

export type Exemption = 'virtual-resource' | 'admission-configuration';

/**
 * Why no webhook of the API is ever asked about a resource; undefined when webhooks may be. Nothing else is exempt: no
 * namespace, not kube-system, no lease, no event, no CRD, no APIService.
 *
 * @param version the API server's; a current one when not known.
 */
export function exemption(
  { group, resource }: Pick<AdmissionRequest, 'group' | 'resource'>,
  version?: string,
): Exemption | undefined {
  if (virtual.has(`${group}/${resource}`) && behaves(version, 'reviews-exempt')) return 'virtual-resource';
  if (group !== 'admissionregistration.k8s.io' || !Object.hasOwn(configuration, resource)) return undefined;
  const since = configuration[resource] ?? 'always';
  return since === 'always' || behaves(version, since) ? 'admission-configuration' : undefined;
}
