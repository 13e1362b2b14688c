import { closestMatch } from 'leven';
import { remembered } from '../../basics/derive.ts';
import { isProductGroup } from '../../facts/resource.ts';
import type { ServedResource, ServedResources } from '../../facts/served-resources.ts';
import {
  entryNames,
  inGroupOf,
  inVersionOf,
  parentAndChild,
  type RuleGroups,
  staleIn,
} from './rule-resources.ts';

/** Why an entry of a rule's `resources` matches no request, and the resource that is probably meant. */
export type UnknownResource =
  | { readonly why: 'kind' | 'singular' | 'misspelt'; readonly meant: ServedResource }
  | { readonly why: 'other-group' | 'other-version'; readonly meant: ServedResource }
  | { readonly why: 'subresource' }
  | { readonly why: 'not-served' }
  /** The rule names every group, and none has such a resource. */
  | { readonly why: 'nowhere' }
  | { readonly why: 'group-not-served' }
  /** Discovery of this group and version failed. */
  | { readonly why: 'stale'; readonly groupVersion: string };

const withoutLast = (group: string): string => group.slice(0, Math.max(group.lastIndexOf('.'), 0));

/** True for groups of products that differ in the last label alone, as `example.com` and `example.dev`. */
const isSimilarGroup = (one: string, other: string): boolean =>
  isProductGroup(one) && isProductGroup(other) && withoutLast(one) === withoutLast(other);

const isParent = ({ resource }: ServedResource): boolean => !resource.includes('/');

/** The resource that a kind, a singular or a misspelt plural means. */
function similarResource(name: string, served: readonly ServedResource[]): UnknownResource | undefined {
  const word = name.toLowerCase();
  const plural = served.find(({ resource }) => resource === word);
  if (plural !== undefined) return { why: 'misspelt', meant: plural };
  const sameKind = served.find(({ kind }) => kind.toLowerCase() === word);
  if (sameKind !== undefined && name !== word) return { why: 'kind', meant: sameKind };
  const singular = served.find((candidate) => candidate.singular === word) ?? sameKind;
  if (singular !== undefined) return { why: 'singular', meant: singular };
  const maxDistance = word.length < 8 ? 1 : 2;
  const closest = closestMatch(
    word,
    served.map(({ resource }) => resource),
    { maxDistance },
  );
  const meant = served.find(({ resource }) => resource === closest);
  return meant === undefined ? undefined : { why: 'misspelt', meant };
}

/** The resource whose kind or singular this is. */
const namedLike = (name: string, served: readonly ServedResource[]): ServedResource | undefined =>
  served.find(({ kind, singular }) => kind === name || singular === name);

const compare = remembered(
  (served: ServedResources, ruleJson: string, entry: string): UnknownResource | undefined => {
    const { resources, stale } = served;
    const rule: RuleGroups = JSON.parse(ruleJson);
    const inGroups = resources.filter(({ group }) => inGroupOf(rule, group));
    const inBoth = inGroups.filter(({ version }) => inVersionOf(rule, version));
    if (inBoth.some(({ resource }) => entryNames(entry, resource))) return undefined;
    const staleVersion = staleIn(rule, stale);
    if (staleVersion !== undefined) return { why: 'stale', groupVersion: staleVersion };

    const [name, child] = parentAndChild(entry);
    if (child !== '' && inBoth.some(({ resource }) => resource === name)) return { why: 'subresource' };
    const inOtherVersion = inGroups.find(({ resource }) => entryNames(entry, resource));
    if (inOtherVersion !== undefined) return { why: 'other-version', meant: inOtherVersion };
    if (name !== '*') {
      const meant = similarResource(name, inBoth.filter(isParent));
      if (meant !== undefined) return meant;
      const groupIsServed = inGroups.length > 0;
      const mayBeMeant = groupIsServed || !rule.apiGroups.every(isProductGroup);
      // A group of Kubernetes' own may be an extension that is not installed: a product's resource of that
      // name is another.
      const others = resources.filter(
        (one) => isParent(one) && (groupIsServed || !isProductGroup(one.group)),
      );
      const elsewhere = others.find(({ resource }) => resource === name) ?? namedLike(name, others);
      if (elsewhere !== undefined && mayBeMeant) return { why: 'other-group', meant: elsewhere };
    }
    const [group = '', ...others] = rule.apiGroups;
    const renamed = resources.find(
      (one) => others.length === 0 && one.resource === name && isSimilarGroup(group, one.group),
    );
    if (renamed !== undefined) return { why: 'other-group', meant: renamed };
    if (inGroups.length === 0) return { why: 'group-not-served' };
    return { why: rule.apiGroups.includes('*') ? 'nowhere' : 'not-served' };
  },
);

/**
 * Why one entry of `resources` matches nothing that this API server serves in the rule's groups and versions;
 * undefined if it matches. Results are cached: charts repeat their rules, and discovery is long.
 */
export const unknownResource = (
  { apiGroups, apiVersions }: RuleGroups,
  entry: string,
  served: ServedResources,
): UnknownResource | undefined => compare(served, JSON.stringify({ apiGroups, apiVersions }), entry);
