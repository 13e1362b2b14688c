import type { Unread } from '../../facts/unread.ts';
import { behaves, isEks } from '../server-version.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Resources that are not stored: no webhook is called for them from 1.37 on (admission/exclusion). */
const virtual = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/** Exempt resources, and since when: predicates/rules IsExemptAdmissionConfigurationResource. */
const configuration: Readonly<Record<string, 'policies-exempt' | 'mutating-policies-exempt' | 'always'>> = {
  validatingwebhookconfigurations: 'always',
  mutatingwebhookconfigurations: 'always',
  validatingadmissionpolicies: 'policies-exempt',
  validatingadmissionpolicybindings: 'policies-exempt',
  mutatingadmissionpolicies: 'mutating-policies-exempt',
  mutatingadmissionpolicybindings: 'mutating-policies-exempt',
};

/** Where EKS lists the requests that its API servers exclude from webhooks. */
export const exclusionsOfPlatform = {
  file: 'a configuration file of the EKS API servers',
  unread: {
    what: 'which requests EKS excludes from webhooks',
    why: 'not-served',
    detail: 'a configuration file of its API servers contains them',
  } satisfies Unread,
} as const;

/**
 * True for requests that an API server of EKS may exclude from webhooks. A file on its disk lists them
 * (aws/eks-distro, patch "admission webhook exclusion from file"), and no API returns it: Leases of nodes,
 * and in kube-system Leases and Pods, by their names or by the component that writes them.
 */
export function mayBeExcluded(
  { group, resource, namespace, user }: AdmissionRequest,
  version: string | undefined,
): boolean {
  if (!isEks(version)) return false;
  const isPerson = user !== undefined && !user.username.startsWith('system:');
  const ofSystem = namespace === 'kube-system' && !isPerson;
  return resource === 'leases'
    ? group === 'coordination.k8s.io' && (ofSystem || namespace === 'kube-node-lease')
    : resource === 'pods' && group === '' && ofSystem;
}

type Exemption = 'virtual-resource' | 'admission-configuration';

/**
 * Why the API server calls no webhook for a resource; undefined if it does. Nothing else is exempt: no
 * namespace, not kube-system, no Lease, no Event, no CRD, no APIService.
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
