import type { Permission } from '../../facts/resource.ts';
import { ReadError } from '../cluster.ts';
import { statusOf } from '../status.ts';
import type { Transport } from './http/transport.ts';

/** The API server's decision about a client that requests a path from this program. */
export type CallerReview = 'allowed' | 'forbidden' | 'unauthenticated';

/** The permissions that reviews require; reviews are not stored. */
export const callerReviewPermissions: readonly Permission[] = [
  ['authentication.k8s.io', 'tokenreviews'] as const,
  ['authorization.k8s.io', 'subjectaccessreviews'] as const,
].map(([group, resource]) => ({
  group,
  resource,
  verbs: ['create'],
  scope: 'cluster',
  use: 'authentication and authorization of callers (stores nothing)',
}));

interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: Readonly<Record<'username' | 'uid' | 'groups' | 'extra', unknown>>;
}

/**
 * Lets the API server decide which user a bearer token belongs to and whether that user may `get` a
 * non-resource path, as it decides for its own `/metrics`. Throws ReadError if it does not respond within
 * `patience` (milliseconds).
 */
export async function reviewCaller(
  transport: Transport,
  token: string,
  path: string,
  patience: number,
): Promise<CallerReview> {
  const signal = AbortSignal.timeout(patience);
  const review = async <Status>(group: string, kind: string, spec: object): Promise<Status> => {
    const where = `/apis/${group}/v1/${kind.toLowerCase()}s`;
    const body = { apiVersion: `${group}/v1`, kind, spec };
    const answer = await transport.send({ method: 'POST', path: where, body, signal });
    const { status, body: text } = answer;
    if (status === 201) return (JSON.parse(text.toString('utf8')) as { readonly status: Status }).status;
    const errorText = statusOf(answer)?.message ?? `it returned ${status}`;
    const reason = status === 403 ? 'forbidden' : 'server-error';
    throw new ReadError(`no ${kind}: ${errorText}`, { reason, path: where, status });
  };
  const who = await review<TokenReviewStatus>('authentication.k8s.io', 'TokenReview', { token });
  if (who.authenticated !== true || who.user === undefined) return 'unauthenticated';
  const { username, uid, groups, extra } = who.user;
  const may = await review<{ readonly allowed?: boolean }>('authorization.k8s.io', 'SubjectAccessReview', {
    user: username,
    uid,
    groups,
    extra,
    nonResourceAttributes: { path, verb: 'get' },
  });
  return may.allowed === true ? 'allowed' : 'forbidden';
}
