import { groupResourceOf, isProductGroup } from '../../facts/resource.ts';

const usual = ['spec', 'status'];

/**
 * The top-level fields that objects of a resource can have, besides apiVersion, kind and metadata, by
 * `resource.group`: from k8s.io/api, the same in every served version.
 */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  configmaps: ['data', 'binaryData', 'immutable'],
  secrets: ['data', 'stringData', 'type', 'immutable'],
  serviceaccounts: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  pods: usual,
  services: usual,
  namespaces: usual,
  nodes: usual,
  persistentvolumes: usual,
  persistentvolumeclaims: usual,
  replicationcontrollers: usual,
  resourcequotas: usual,
  limitranges: ['spec'],
  endpoints: ['subsets'],
  'deployments.apps': usual,
  'replicasets.apps': usual,
  'statefulsets.apps': usual,
  'daemonsets.apps': usual,
  'controllerrevisions.apps': ['data', 'revision'],
  'jobs.batch': usual,
  'cronjobs.batch': usual,
  'horizontalpodautoscalers.autoscaling': usual,
  'poddisruptionbudgets.policy': usual,
  'ingresses.networking.k8s.io': usual,
  'networkpolicies.networking.k8s.io': usual,
  'leases.coordination.k8s.io': ['spec'],
  'endpointslices.discovery.k8s.io': ['addressType', 'endpoints', 'ports'],
  'roles.rbac.authorization.k8s.io': ['rules'],
  'clusterroles.rbac.authorization.k8s.io': ['rules', 'aggregationRule'],
  'rolebindings.rbac.authorization.k8s.io': ['subjects', 'roleRef'],
  'clusterrolebindings.rbac.authorization.k8s.io': ['subjects', 'roleRef'],
  'customresourcedefinitions.apiextensions.k8s.io': usual,
  'apiservices.apiregistration.k8s.io': usual,
};
const ofAll = ['apiVersion', 'kind', 'metadata'];

/** True if objects of a resource can have a top-level field; always true for an unlisted resource. */
export function mayHaveField(
  { group, resource }: { readonly group?: string; readonly resource?: string },
  field: unknown,
): boolean {
  if (group === undefined || resource === undefined) return true;
  const key = groupResourceOf({ group, resource });
  if (!Object.hasOwn(fieldsOf, key)) return true;
  return [...ofAll, ...(fieldsOf[key] ?? [])].some((known) => known === field);
}

/** True for a built-in resource, false for a custom resource, whose group contains a dot; undefined if not certain. */
export function isBuiltIn(group: unknown, resource: unknown): boolean | undefined {
  if (typeof group !== 'string' || typeof resource !== 'string') return undefined;
  if (Object.hasOwn(fieldsOf, groupResourceOf({ group, resource }))) return true;
  return isProductGroup(group) ? false : undefined;
}
