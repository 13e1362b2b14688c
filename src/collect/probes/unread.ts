import type { AllowRule, Unread, UnreadReason } from '../../facts/unread.ts';
import { unreadReasons } from '../attempts.ts';
import { ReadError } from '../cluster.ts';
import { isStoppedByAdmission } from './api-server/stopped-by-admission.ts';
import { NoConnection } from './connection/failure.ts';

const reasons: readonly UnreadReason[] = ['forbidden', 'timeout', 'not-served'];

/**
 * A refused upgrade without a Status object is from the kubelet, which refuses the API server, or from a
 * proxy in between. The user's permissions in the cluster do not change that (kubelet server/auth.go, `Forbidden
 * (user=…)`).
 */
const isOfKubelet = ({ status, byApiServer }: ReadError): boolean =>
  (status === 401 || status === 403) && !byApiServer;

/** The reason why a connection to a backend was not possible, from the error of the intermediate server. */
export function connectionUnread(what: string, error: unknown, allow: AllowRule): Unread {
  if (error instanceof ReadError) {
    const detail = error.serverMessage ?? error.message;
    if (isStoppedByAdmission(detail)) return { what, why: 'server-error', detail };
    if (isOfKubelet(error))
      return {
        what,
        why: 'unreachable',
        detail: `the kubelet, or a proxy before it, returned ${error.status} to the API server${error.serverMessage === undefined ? '' : `: ${error.serverMessage}`}`,
      };
    // A refused upgrade that is not about permissions or timeouts: the API server cannot reach the kubelet.
    const why = reasons.find((reason) => reason === unreadReasons[error.reason]) ?? 'unreachable';
    return { what, why, detail, ...(why === 'forbidden' ? { allow } : {}) };
  }
  const why = error instanceof NoConnection ? 'unreachable' : 'server-error';
  return { what, why, detail: error instanceof Error ? error.message : String(error) };
}

/** The run ended before the result was known. */
export function cutOff(what: string, ended: AbortSignal | undefined): Unread {
  const { name } = (ended?.reason ?? {}) as { readonly name?: string };
  const detail = name === 'TimeoutError' ? 'the time for the whole run was over' : 'interrupted';
  return { what, why: 'timeout', detail };
}
