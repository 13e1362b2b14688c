import type { Decoded } from '../go/shape.ts';
import type { statusShape } from './review-shapes.ts';

/** metav1.Status as a webhook sends it in `response.status`. */
export type SentStatus = Decoded<typeof statusShape>;

/** The response to the client if a webhook denied the request. */
export interface Denial {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/**
 * Converts the denial of a webhook to the API server's response: the webhook's code unless it is below 400,
 * its message, else its reason (webhook/errors/statuserror.go ToStatusErr).
 */
export function denialOf(webhook: string, status: SentStatus | undefined): Denial {
  const { message = '', reason = '', code = 0 } = status ?? {};
  const explanation = message === '' ? reason : message;
  const denied = `admission webhook "${webhook}" denied the request`;
  return {
    code: code < 400 ? 400 : code,
    reason,
    message: explanation === '' ? `${denied} without explanation` : `${denied}: ${explanation}`,
  };
}

/**
 * The error in a status, as handlers set it that fail and admit nevertheless; undefined if it has none. 403 is the
 * denial of a policy that is only audited.
 */
export function errorInStatus(status: SentStatus | undefined): string | undefined {
  const { message = '', reason = '', code = 0 } = status ?? {};
  if (code === 403 || (code < 400 && status?.status !== 'Failure')) return undefined;
  return message || reason || undefined;
}
