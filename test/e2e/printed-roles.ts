import type { KubeObject } from '../cluster/client.ts';
import { permissionText, type RequestedPermission } from '../support/requested-permission.ts';

/** A role as `kubectl webhook rbac` prints it. */
export interface Role extends KubeObject {
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly resources?: readonly string[];
    readonly nonResourceURLs?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

type Rule = NonNullable<Role['rules']>[number];

/** The only permission of a rule; a path counts as a resource. */
const permissionOf = ({ apiGroups, resources, nonResourceURLs, verbs }: Rule): RequestedPermission => ({
  group: apiGroups?.[0] ?? '',
  resource: nonResourceURLs?.[0] ?? resources?.[0] ?? '',
  verb: verbs[0] ?? '',
});

/** The roles with one rule per permission. */
const single = (roles: readonly Role[]): readonly Role[] =>
  roles.map((role) => ({
    ...role,
    ...(role.rules === undefined
      ? {}
      : {
          rules: role.rules.flatMap(({ resources, verbs, ...rule }) =>
            verbs.flatMap((verb): Rule | readonly Rule[] =>
              resources === undefined
                ? { ...rule, verbs: [verb] }
                : resources.map((resource) => ({ ...rule, resources: [resource], verbs: [verb] })),
            ),
          ),
        }),
  }));

/** Every single permission that the roles give. */
export const permissionsOf = (roles: readonly Role[]): readonly RequestedPermission[] => [
  ...new Map(
    single(roles)
      .flatMap(({ rules = [] }) => rules)
      .map((rule) => [permissionText(permissionOf(rule)), permissionOf(rule)]),
  ).values(),
];

/** The roles without one permission, under another name, bound to a user of that name. */
export function without(
  roles: readonly Role[],
  left: RequestedPermission | undefined,
  name: string,
): readonly Role[] {
  const kept = single(roles).map((role) => ({
    ...role,
    metadata: { ...role.metadata, name },
    ...(role.rules === undefined
      ? {}
      : {
          rules: role.rules.filter(
            (rule) => left === undefined || permissionText(permissionOf(rule)) !== permissionText(left),
          ),
        }),
  }));
  return kept.flatMap((role) => [
    role,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: `${role.kind}Binding`,
      metadata: role.metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    } as unknown as Role,
  ]);
}

/** Runs at most that many at once: each is a process. */
export async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker()]);
}
