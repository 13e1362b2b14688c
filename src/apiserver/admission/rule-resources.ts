import type { RuleWithOperations } from '../../facts/callout.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import { resourceEntryCovers } from './rules.ts';

const listed = (items: readonly string[], wanted: string): boolean =>
  items.includes('*') || items.includes(wanted);

/** Where a rule looks for its resources. */
export type RuleGroups = Pick<RuleWithOperations, 'apiGroups' | 'apiVersions'>;

export const inGroupOf = ({ apiGroups }: RuleGroups, group: string): boolean => listed(apiGroups, group);
export const inVersionOf = ({ apiVersions }: RuleGroups, version: string): boolean =>
  listed(apiVersions, version);

/** `pods/exec` → `pods` and `exec`. */
export function parentAndChild(resource: string): readonly [parent: string, child: string] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
}

/** Whether an entry of `resources` names a served resource, wherever it is served. */
export const entryNames = (entry: string, resource: string): boolean =>
  resourceEntryCovers(entry, ...parentAndChild(resource));

const inScope = ({ scope = '*' }: RuleWithOperations, { namespaced }: ServedResource): boolean =>
  scope === '*' || (scope === 'Namespaced') === namespaced;

/** Whether some request for the resource is covered by the rule, whatever its operation. */
export const coversResource = (rule: RuleWithOperations, served: ServedResource): boolean =>
  inGroupOf(rule, served.group) &&
  inVersionOf(rule, served.version) &&
  inScope(rule, served) &&
  rule.resources.some((entry) => entryNames(entry, served.resource));

/**
 * The first `group/version` that a rule may cover and of which discovery could not tell the resources. Nothing may be
 * said about what the rule does not cover.
 */
export const staleIn = (rule: RuleGroups, stale: readonly string[]): string | undefined =>
  stale.find((groupVersion) => {
    const [group, version] = parentAndChild(groupVersion);
    return inGroupOf(rule, group) && inVersionOf(rule, version);
  });
