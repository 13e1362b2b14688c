import type { Subject } from '../render/rbac/rbac-object.ts';

const apiGroup = 'rbac.authorization.k8s.io';

/** A ServiceAccount as kubectl spells it on the command line. */
const account = /^(?<namespace>[^:]+):(?<name>[^:]+)$/;

class NoServiceAccount extends Error {
  readonly exitCode = 2;
}

function serviceAccount(text: string): Subject {
  const { namespace, name } = account.exec(text)?.groups ?? {};
  if (namespace === undefined || name === undefined)
    throw new NoServiceAccount(`--serviceaccount takes NAMESPACE:NAME, not "${text}"`);
  return { kind: 'ServiceAccount', name, namespace };
}

/** Whom the flags name, as a binding has them. */
export const subjectsOf = (flags: {
  readonly serviceaccount?: readonly string[] | undefined;
  readonly 'for-user'?: readonly string[] | undefined;
  readonly group?: readonly string[] | undefined;
}): readonly Subject[] => [
  ...(flags.serviceaccount ?? []).map(serviceAccount),
  ...(flags['for-user'] ?? []).map((name) => ({ kind: 'User' as const, apiGroup, name })),
  ...(flags.group ?? []).map((name) => ({ kind: 'Group' as const, apiGroup, name })),
];
