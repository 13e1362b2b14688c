import { atLeast, minorVersion } from '../../facts/server-version.ts';
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

/** webhook/predicates/rules/rules.go IsExemptAdmissionConfigurationResource, with the first release that exempted each. */
const configuration: Readonly<Record<string, number>> = {
  validatingwebhookconfigurations: 0,
  mutatingwebhookconfigurations: 0,
  validatingadmissionpolicies: 26,
  validatingadmissionpolicybindings: 26,
  mutatingadmissionpolicies: 32,
  mutatingadmissionpolicybindings: 32,
};

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
  if (virtual.has(`${group}/${resource}`) && atLeast(version, 37)) return 'virtual-resource';
  if (group !== 'admissionregistration.k8s.io' || !Object.hasOwn(configuration, resource)) return undefined;
  const since = configuration[resource] ?? 0;
  return (minorVersion(version) ?? since) >= since ? 'admission-configuration' : undefined;
}
