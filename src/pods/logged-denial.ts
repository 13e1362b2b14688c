import { forbiddenIn } from '../apiserver/sentences/logs/forbidden-request.ts';
import { type Forbidden, isDenial } from '../facts/rbac-denial.ts';
import type { Facts } from '../facts/snapshot.ts';

const isSame = (a: Forbidden, b: Forbidden): boolean =>
  a.account === b.account && a.verb === b.verb && a.resource === b.resource && a.namespace === b.namespace;

/** A request that a log line reports as forbidden, and whether it still is; `unknown` without a review. */
export interface LoggedRequest {
  readonly forbidden: Forbidden;
  readonly now: 'forbidden' | 'permitted' | 'unknown';
}

/**
 * The forbidden request in a log line of a Pod of this Service (`namespace/name`); undefined if the line is about
 * none.
 *
 * @param account that of the Pod, see {@link forbiddenIn}.
 */
export function loggedRequest(
  line: string,
  service: string,
  { rbacDenials }: Pick<Facts, 'rbacDenials'>,
  account?: string,
): LoggedRequest | undefined {
  const forbidden = forbiddenIn(line, account);
  if (forbidden === undefined) return undefined;
  const reviewed = rbacDenials.getIfKnown(service)?.filter(isDenial);
  const denied = reviewed?.find((one) => isSame(one.forbidden, forbidden));
  // What is permitted by now is left out of them.
  if (reviewed !== undefined && denied === undefined) return { forbidden, now: 'permitted' };
  return { forbidden, now: denied?.confirmed === true ? 'forbidden' : 'unknown' };
}
