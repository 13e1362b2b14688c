import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { type CallEnd, consequenceOf } from '../../../apiserver/admission/failure-policy.ts';
import { reviewToSend } from '../../../apiserver/admission/review.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import type { ApiState } from '../api-request.ts';
import type { ApiObject } from '../object-store.ts';
import { failureAnswer, NotSupported, Refused } from '../status.ts';
import { callWebhook } from './call-webhook.ts';
import { matchIn, webhooksIn } from './matching.ts';

/** A write request of the demo: its objects are complete. */
export interface AdmissionAttributes extends AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly name: string;
  readonly dryRun: boolean;
  readonly user: NonNullable<AdmissionRequest['user']>;
  /** Undefined for a deletion. */
  readonly object?: ApiObject;
  readonly oldObject?: ApiObject;
}

/** Throws {@link Refused} if the request ends with this call. */
function refuseAfter(end: CallEnd, webhook: AdmissionCallout): void {
  const { answer } = consequenceOf(end, webhook);
  if (answer === undefined) return;
  const { code, reason, message } = answer;
  const cause = message.replace(/^Internal error occurred: /, '');
  const details = reason === 'InternalError' ? { causes: [{ message: cause }] } : undefined;
  throw new Refused(failureAnswer(code, reason, message, details));
}

/** Calls a webhook if it matches the request; undefined if it does not. */
async function reviewed(
  webhook: AdmissionCallout,
  request: AdmissionAttributes,
  signal: AbortSignal,
  state: ApiState,
): Promise<(CallEnd & { readonly patched?: unknown }) | undefined> {
  const match = matchIn(webhook, request, state.store);
  switch (match.outcome) {
    case 'skipped':
      return undefined;
    case 'unknown':
      throw new NotSupported(`a webhook that depends on ${match.by}`);
    case 'rejected':
      return { outcome: 'denied', code: 403, reason: 'Forbidden', message: match.text };
    case 'called': {
      const review = reviewToSend(webhook, request);
      if ('end' in review) return review.end;
      if (review.version !== 'v1') throw new NotSupported('reviews other than v1');
      const evaluated = await callWebhook(webhook, request, signal, state);
      if (evaluated.outcome === 'unknown') throw new NotSupported(evaluated.why);
      return evaluated;
    }
  }
}

/**
 * Calls every matching webhook over the network, mutating ones first. Returns the resulting object; throws
 * {@link Refused}.
 */
export async function admit(
  attributes: AdmissionAttributes,
  signal: AbortSignal,
  state: ApiState,
): Promise<ApiObject | undefined> {
  let request = attributes;
  for (const webhook of webhooksIn(state.store)) {
    const end = await reviewed(webhook, request, signal, state);
    if (end === undefined) continue;
    refuseAfter(end, webhook);
    if (end.patched === undefined) continue;
    const object = end.patched as ApiObject;
    request = { ...request, object, labels: object.metadata.labels ?? {} };
  }
  return request.object;
}
