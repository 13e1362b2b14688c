import { groupResourceOf } from '../../facts/resource.ts';
import { behaves } from '../server-version.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { MatchFacts } from './match.ts';

/** Namespaces that the API server does not delete (NewLifecycle's immortalNamespaces). */
const immortal: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** Exempt, so that access reviews do not disclose whether a namespace exists. */
const accessReview = 'localsubjectaccessreviews';

/**
 * The error of the API server if it refuses a request because of its namespace, before it calls webhooks;
 * undefined if not, or if the namespace was not read. Source: the admission plugin NamespaceLifecycle
 * (apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go).
 */
export function namespaceRefusal(
  { operation, group, resource, namespace = '', name, object }: AdmissionRequest,
  { namespaces, version }: MatchFacts,
): string | undefined {
  if (operation === 'DELETE' && group === '' && resource === 'namespaces' && immortal.includes(name ?? ''))
    return `namespaces "${name}" is forbidden: this namespace may not be deleted`;
  if (namespace === '' || resource === 'namespaces' || resource === accessReview) return undefined;
  const requiresNamespace =
    operation === 'CREATE' || (operation === 'UPDATE' && !behaves(version, 'updates-without-namespace'));
  if (!requiresNamespace || namespaces.why(namespace) !== undefined) return undefined;
  const found = namespaces.get(namespace);
  if (found === undefined) return `namespaces "${namespace}" not found`;
  if (operation !== 'CREATE' || found.status?.phase !== 'Terminating') return undefined;
  const of = groupResourceOf({ group, resource });
  const { generateName } =
    (object as { readonly metadata?: { readonly generateName?: string } } | undefined)?.metadata ?? {};
  const named = name || generateName || 'Unknown';
  return `${of} "${named}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
}
