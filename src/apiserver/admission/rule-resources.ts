import type { RuleWithOperations } from '../../facts/callout.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import { isListed, resourceEntryCovers } from './rules.ts';

/** The groups and versions of a rule. */
export type RuleGroups = Pick<RuleWithOperations, 'apiGroups' | 'apiVersions'>;

/** Whether a rule matches an API group, by its name or `*`; the core group is empty. */
export const inGroupOf = ({ apiGroups }: RuleGroups, group: string): boolean => isListed(apiGroups, group);
/** Whether a rule matches an API version, by its name or `*`. */
export const inVersionOf = ({ apiVersions }: RuleGroups, version: string): boolean =>
  isListed(apiVersions, version);

/** `pods/exec` → `pods` and `exec`. */
export function parentAndChild(resource: string): readonly [parent: string, child: string] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
}

/** Whether an entry of `resources` matches a served resource, in any group and version. */
export const entryNames = (entry: string, resource: string): boolean =>
  resourceEntryCovers(entry, ...parentAndChild(resource));

const inScope = ({ scope = '*' }: RuleWithOperations, { namespaced }: ServedResource): boolean =>
  scope === '*' || (scope === 'Namespaced') === namespaced;

/** Whether the rule matches any request for the resource, regardless of the operation. */
export const coversResource = (rule: RuleWithOperations, served: ServedResource): boolean =>
  inGroupOf(rule, served.group) &&
  inVersionOf(rule, served.version) &&
  inScope(rule, served) &&
  rule.resources.some((entry) => entryNames(entry, served.resource));

/**
 * The first `group/version` of a rule for which discovery failed (stale): it is unknown whether the rule
 * matches a resource in it.
 */
export const staleIn = (rule: RuleGroups, stale: readonly string[]): string | undefined =>
  stale.find((groupVersion) => {
    const [group, version] = parentAndChild(groupVersion);
    return inGroupOf(rule, group) && inVersionOf(rule, version);
  });
