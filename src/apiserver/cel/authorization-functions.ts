import { type Overload, overload } from './overload.ts';
import { type AccessCheck, type CelAuthorizer, type CelDecision, NotEvaluable } from './value.ts';

const authorizer = 'kubernetes.authorization.Authorizer';
const path = 'kubernetes.authorization.PathCheck';
const group = 'kubernetes.authorization.GroupCheck';
const resource = 'kubernetes.authorization.ResourceCheck';
const decision = 'kubernetes.authorization.Decision';

/** The key of one authorizer check. */
export const accessKey = (check: AccessCheck): string =>
  JSON.stringify(Object.entries(check).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** A method that adds one field to a check, and the type that it returns. */
const step = (name: string, from: string, to: CelAuthorizer['is'], field: keyof AccessCheck): Overload =>
  overload(name, [from, 'string'], ({ check, allowed }: CelAuthorizer, value: string) => ({
    is: to,
    check: { ...check, [field]: value },
    allowed,
  }));

function decided({ check, allowed }: CelAuthorizer, verb: string): CelDecision {
  const access = { ...check, verb };
  const isAllowed = allowed === 'everything' || allowed[accessKey(access)];
  if (isAllowed === undefined) throw new NotEvaluable(undefined, access);
  return { is: decision, allowed: isAllowed };
}

/** Methods of `authorizer` (pkg/cel/library/authz.go) except service accounts, selectors, reasons. */
export const authorizationMethods: readonly Overload[] = [
  step('path', authorizer, path, 'path'),
  step('group', authorizer, group, 'group'),
  step('resource', group, resource, 'resource'),
  step('subresource', resource, resource, 'subresource'),
  step('namespace', resource, resource, 'namespace'),
  step('name', resource, resource, 'name'),
  overload('check', [path, 'string'], decided),
  overload('check', [resource, 'string'], decided),
  overload('allowed', [decision], ({ allowed }: CelDecision) => allowed),
];
