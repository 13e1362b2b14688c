import type { AllowRule, Unread, UnreadReason } from '../../facts/unread.ts';
import { ReadError, type ReadErrorReason } from '../cluster-reader.ts';
import { WayBroken } from './failure.ts';
import { isStoppedByAdmission } from './stopped-by-admission.ts';

const reasons: Partial<Record<ReadErrorReason, UnreadReason>> = {
  forbidden: 'forbidden',
  unauthorized: 'forbidden',
  timeout: 'timeout',
  interrupted: 'timeout',
  'not-served': 'not-served',
};

/** Why a way to a backend could not be gone, from the error of whoever stands on it. */
export function wayUnread(what: string, error: unknown, allow: AllowRule): Unread {
  if (error instanceof ReadError) {
    const detail = error.serverMessage ?? error.message;
    if (isStoppedByAdmission(detail)) return { what, why: 'server-error', detail };
    // A refused upgrade that is no matter of rights or time: the API server does not reach the kubelet.
    const why = reasons[error.reason] ?? 'unreachable';
    return { what, why, detail, ...(why === 'forbidden' ? { allow } : {}) };
  }
  const why = error instanceof WayBroken ? 'unreachable' : 'server-error';
  return { what, why, detail: error instanceof Error ? error.message : String(error) };
}

/** The run was over before this was known. */
export function cutOff(what: string, ended: AbortSignal | undefined): Unread {
  const detail = ended?.aborted ? 'the time for the whole run was over' : 'interrupted';
  return { what, why: 'timeout', detail };
}
