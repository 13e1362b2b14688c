import type { Permission, Verb } from '../../facts/permission.ts';
import type { RbacObject, RoleRule, Subject } from '../../render/rbac/rbac-object.ts';

const group = 'rbac.authorization.k8s.io';

interface Need {
  readonly group: string;
  readonly resource: string;
  readonly verbs: readonly Verb[];
  readonly uses: readonly string[];
}

const order: readonly Verb[] = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
const unique = <T>(items: readonly T[]): readonly T[] => [...new Set(items)];

/** Merges permissions by resource, with all verbs and uses. */
function needsOf(permissions: readonly Permission[]): readonly Need[] {
  const keys = unique(permissions.map((permission) => `${permission.group}/${permission.resource}`));
  return keys.flatMap((key) => {
    const alike = permissions.filter((permission) => `${permission.group}/${permission.resource}` === key);
    const verbs = order.filter((verb) => alike.some((permission) => permission.verbs.includes(verb)));
    const [first] = alike;
    if (first === undefined || verbs.length === 0) return [];
    return [
      { group: first.group, resource: first.resource, verbs, uses: unique(alike.map(({ use }) => use)) },
    ];
  });
}

/** Non-resource URLs are separate rules, which only a ClusterRole can have. */
const isPath = ({ resource }: Pick<Need, 'resource'>): boolean => resource.startsWith('/');

/** Merges rules: resources of one group with the same verbs and uses become one rule. */
function rulesOf(permissions: readonly Permission[]): readonly RoleRule[] {
  const needs = needsOf(permissions);
  const keyOf = (need: Need): string => JSON.stringify([need.group, isPath(need), need.verbs, need.uses]);
  return unique(needs.map(keyOf)).flatMap((key): readonly RoleRule[] => {
    const alike = needs.filter((need) => keyOf(need) === key);
    const [first] = alike;
    if (first === undefined) return [];
    const { verbs, uses } = first;
    if (isPath(first)) return [{ nonResourceURLs: alike.map(({ resource }) => resource), verbs, uses }];
    return [{ apiGroups: [first.group], resources: alike.map(({ resource }) => resource), verbs, uses }];
  });
}

/** The permissions without those that the ClusterRole grants. */
const beyond = (
  permissions: readonly Permission[],
  everywhere: readonly Permission[],
): readonly Permission[] =>
  permissions.map((permission) => ({
    ...permission,
    verbs: permission.verbs.filter(
      (verb) =>
        !everywhere.some(
          (other) =>
            other.group === permission.group &&
            other.resource === permission.resource &&
            other.verbs.includes(verb),
        ),
    ),
  }));

/** A role with these permissions and its binding: a Role if it has a namespace, else a ClusterRole. */
function role(
  metadata: { readonly name: string; readonly namespace?: string },
  permissions: readonly Permission[],
  subjects: readonly Subject[],
): readonly RbacObject[] {
  const rules = rulesOf(permissions);
  if (rules.length === 0) return [];
  const kind = metadata.namespace === undefined ? 'ClusterRole' : 'Role';
  const { name } = metadata;
  const apiVersion = `${group}/v1`;
  const binding = {
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: group, kind, name },
    subjects,
  };
  return [{ apiVersion, kind, metadata, rules }, ...(subjects.length === 0 ? [] : [binding])];
}

/**
 * Roles with exactly these permissions, and their bindings if there are subjects.
 *
 * @param namespaces of backends: permissions for backends are then granted in Roles there, and not cluster-wide.
 */
export function rolesFor(
  name: string,
  permissions: readonly Permission[],
  namespaces: readonly string[],
  subjects: readonly Subject[],
): readonly RbacObject[] {
  const narrow = namespaces.length > 0;
  const everywhere = permissions.filter(
    ({ scope }) => scope === 'cluster' || (scope === 'backends' && !narrow),
  );
  const inBackends = narrow ? permissions.filter(({ scope }) => scope === 'backends') : [];
  const named = (namespace: string): readonly Permission[] =>
    permissions.filter(({ scope }) => typeof scope === 'object' && scope.namespace === namespace);
  const places = unique([
    ...namespaces,
    ...permissions.flatMap(({ scope }) => (typeof scope === 'object' ? [scope.namespace] : [])),
  ]);
  return [
    ...role({ name }, everywhere, subjects),
    ...places.flatMap((namespace) => {
      const here = [...(namespaces.includes(namespace) ? inBackends : []), ...named(namespace)];
      return role({ name, namespace }, beyond(here, everywhere), subjects);
    }),
  ];
}
