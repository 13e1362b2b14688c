import type { RuleWithOperations } from '../../facts/callout.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Whether a list of a rule contains an item, by its name or `*`. */
export const isListed = (items: readonly string[], wanted: string): boolean =>
  items.includes('*') || items.includes(wanted);

/**
 * Whether one entry of `resources` matches a resource and its subresource (`''` for none). The entry is split
 * at the first slash. `*` after it also matches no subresource: `pods/*` matches pods, `*` matches no
 * subresource.
 */
export function resourceEntryCovers(entry: string, resource: string, subresource: string): boolean {
  const slash = entry.indexOf('/');
  if (slash < 0) return subresource === '' && (entry === '*' || entry === resource);
  const [parent, child] = [entry.slice(0, slash), entry.slice(slash + 1)];
  return (parent === '*' || parent === resource) && (child === '*' || child === subresource);
}

const isNamespaceObject = ({ group, version, resource }: AdmissionRequest): boolean =>
  group === '' && version === 'v1' && resource === 'namespaces';

/** Applies the scope of a rule. Namespaces are cluster-scoped; their requests use their name as namespace. */
function inScope(scope: RuleWithOperations['scope'], request: AdmissionRequest): boolean {
  const clusterScoped = isNamespaceObject(request) || (request.namespace ?? '') === '';
  switch (scope) {
    case undefined:
    case '*':
      return true;
    case 'Cluster':
      return clusterScoped;
    case 'Namespaced':
      return !clusterScoped;
    default:
      return false;
  }
}

/** True if a rule matches a request in its own version: apiserver webhook/predicates/rules/rules.go. */
export const ruleCovers = (rule: RuleWithOperations, request: AdmissionRequest): boolean =>
  inScope(rule.scope, request) &&
  isListed(rule.operations, request.operation) &&
  isListed(rule.apiGroups, request.group) &&
  isListed(rule.apiVersions, request.version) &&
  rule.resources.some((entry) => resourceEntryCovers(entry, request.resource, request.subresource ?? ''));
