import type { KubeObject } from '../cluster/client.ts';
import { type RequestedRight, rightText } from '../support/requested-right.ts';

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
const rightOf = ({ apiGroups, resources, nonResourceURLs, verbs }: Rule): RequestedRight => ({
  group: apiGroups?.[0] ?? '',
  resource: nonResourceURLs?.[0] ?? resources?.[0] ?? '',
  verb: verbs[0] ?? '',
});

/** The roles with one rule per right. */
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

/** Every single right that the roles give. */
export const rightsOf = (roles: readonly Role[]): readonly RequestedRight[] => [
  ...new Map(
    single(roles)
      .flatMap(({ rules = [] }) => rules)
      .map((rule) => [rightText(rightOf(rule)), rightOf(rule)]),
  ).values(),
];

/** The roles without one permission, under another name, bound to a user of that name. */
export function without(
  roles: readonly Role[],
  left: RequestedRight | undefined,
  name: string,
): readonly Role[] {
  const kept = single(roles).map((role) => ({
    ...role,
    metadata: { ...role.metadata, name },
    ...(role.rules === undefined
      ? {}
      : {
          rules: role.rules.filter(
            (rule) => left === undefined || rightText(rightOf(rule)) !== rightText(left),
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
