import { behaves } from '../../facts/server-version.ts';
import type { AdmissionRequest } from './admission-request.ts';
import type { MatchFacts } from './match.ts';

/** Those that an API server never lets go (NewLifecycle's immortalNamespaces). */
const immortal: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** Reviews of rights in a namespace do not disclose whether it exists. */
const accessReview = 'localsubjectaccessreviews';

/**
 * The words with which the API server refuses a request for its namespace, before it calls any webhook; undefined where
 * it does not, or where the namespace was not read. Source: the admission plugin NamespaceLifecycle
 * (apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go).
 */
export function namespaceRefusal(
  { operation, group, resource, namespace = '', name, object }: AdmissionRequest,
  { namespaces, version }: MatchFacts,
): string | undefined {
  if (operation === 'DELETE' && group === '' && resource === 'namespaces' && immortal.includes(name ?? ''))
    return `namespaces "${name}" is forbidden: this namespace may not be deleted`;
  if (namespace === '' || resource === 'namespaces' || resource === accessReview) return undefined;
  const asksForNamespace =
    operation === 'CREATE' || (operation === 'UPDATE' && !behaves(version, 'updates-without-namespace'));
  if (!asksForNamespace || namespaces.why(namespace) !== undefined) return undefined;
  const found = namespaces.get(namespace);
  if (found === undefined) return `namespaces "${namespace}" not found`;
  if (operation !== 'CREATE' || found.status?.phase !== 'Terminating') return undefined;
  const of = group === '' ? resource : `${resource}.${group}`;
  const { generateName } =
    (object as { readonly metadata?: { readonly generateName?: string } } | undefined)?.metadata ?? {};
  const named = name || generateName || 'Unknown';
  return `${of} "${named}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
}
