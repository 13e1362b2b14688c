import type { AdmissionRequest } from '../../../apiserver/admission/admission-request.ts';
import { type CallEnd, consequenceOf } from '../../../apiserver/admission/failure-policy.ts';
import { reviewToSend } from '../../../apiserver/admission/review.ts';
import type { AdmissionCallout } from '../../../facts/callout.ts';
import type { ApiState } from '../api-request.ts';
import type { ApiObject } from '../object-store.ts';
import { type ApiAnswer, failure, NotSupported } from '../status.ts';
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

type Admitted = { readonly object: ApiObject | undefined } | { readonly refused: ApiAnswer };

/** The response to the client if the request ends with this call. */
function refusalOf(end: CallEnd, webhook: AdmissionCallout): ApiAnswer | undefined {
  const { answer } = consequenceOf(end, webhook);
  if (answer === undefined) return undefined;
  const { code, reason, message } = answer;
  const cause = message.replace(/^Internal error occurred: /, '');
  const details = reason === 'InternalError' ? { causes: [{ message: cause }] } : undefined;
  return failure(code, reason, message, details);
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
      const review = reviewToSend(webhook, request.dryRun);
      if ('end' in review) return review.end;
      if (review.version !== 'v1') throw new NotSupported('reviews other than v1');
      const evaluated = await callWebhook(webhook, request, signal, state);
      if (evaluated.outcome === 'unknown') throw new NotSupported(evaluated.why);
      return evaluated;
    }
  }
}

/** Calls every matching webhook over the network, mutating ones first; returns the resulting object. */
export async function admit(
  attributes: AdmissionAttributes,
  signal: AbortSignal,
  state: ApiState,
): Promise<Admitted> {
  let request = attributes;
  for (const webhook of webhooksIn(state.store)) {
    const end = await reviewed(webhook, request, signal, state);
    if (end === undefined) continue;
    const refused = refusalOf(end, webhook);
    if (refused !== undefined) return { refused };
    if (end.patched === undefined) continue;
    const object = end.patched as ApiObject;
    request = { ...request, object, labels: object.metadata.labels ?? {} };
  }
  return { object: request.object };
}
