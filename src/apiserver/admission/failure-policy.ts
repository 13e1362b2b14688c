import type { AdmissionCallout } from '../../facts/callout.ts';
import { internalError } from '../sentences/call-sentence.ts';
import { behaves } from '../server-version.ts';

/** How a call ended. */
export type CallEnd =
  | { readonly outcome: 'allowed'; readonly changed?: boolean }
  | { readonly outcome: 'denied'; readonly code: number; readonly reason: string; readonly message: string }
  /** `code`: the inner status that metrics count. */
  | { readonly outcome: 'call-failure'; readonly text: string; readonly code: number }
  /** `code` 400 for a dry run that the webhook does not support, otherwise 500. */
  | { readonly outcome: 'api-server-error'; readonly text: string; readonly code?: number };

interface CallConsequence {
  /** The webhook is skipped, and the client gets no warning. */
  readonly failedOpen: boolean;
  /** The response to the client if the request stops here; absent: it continues. */
  readonly answer?: { readonly code: number; readonly reason: string; readonly message: string };
}

/** Whether the end of a call obeys failurePolicy: only a call failure does. */
export const obeysFailurePolicy = ({ outcome }: CallEnd): boolean => outcome === 'call-failure';

const reasons: Readonly<Record<number, string>> = { 400: 'BadRequest', 422: 'Invalid' };

function answerOf(end: CallEnd): CallConsequence['answer'] {
  switch (end.outcome) {
    case 'allowed':
      return undefined;
    case 'denied':
      return { code: end.code, reason: end.reason, message: end.message };
    case 'call-failure':
      return { code: 500, reason: 'InternalError', message: internalError(end.text) };
    default: {
      const code = end.code ?? 500;
      return { code, reason: reasons[code] ?? 'InternalError', message: end.text };
    }
  }
}

/**
 * The consequences of one call for the request and the client (mutating/dispatcher.go,
 * validating/dispatcher.go). failurePolicy applies to call failures only; if it is not set, it counts as Fail.
 */
export function consequenceOf(
  end: CallEnd,
  { failurePolicy }: Pick<AdmissionCallout, 'failurePolicy'>,
): CallConsequence {
  const failedOpen = obeysFailurePolicy(end) && failurePolicy === 'Ignore';
  const answer = failedOpen ? undefined : answerOf(end);
  return { failedOpen, ...(answer === undefined ? {} : { answer }) };
}

/** The inner status of a call failure without one of its own: 503, up to 1.33 a 400. */
export const unavailableCode = (version: string | undefined): number =>
  behaves(version, 'unavailable-503') ? 503 : 400;
