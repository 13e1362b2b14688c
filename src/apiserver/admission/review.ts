import type { AdmissionCallout } from '../../facts/callout.ts';
import type { ReviewVersion } from '../response/review-shapes.ts';
import { admissionFailure } from '../sentences/call-sentence.ts';
import type { CallEnd } from './failure-policy.ts';

/** The version of the AdmissionReview for a webhook, or the error before it is sent. */
export type ReviewToSend = { readonly version: ReviewVersion } | { readonly end: CallEnd };

const isKnown = (version: string): version is ReviewVersion => version === 'v1' || version === 'v1beta1';

/** Values of sideEffects that permit a dry run; v1 allows no others. */
export const withoutSideEffects: readonly (string | undefined)[] = ['None', 'NoneOnDryRun'];

/**
 * Selects the first known version in admissionReviewVersions. A dry run is refused first if the webhook has
 * side effects, whatever its failurePolicy (webhook/request/admissionreview.go, mutating/dispatcher.go).
 */
export function reviewToSend(
  callout: Pick<AdmissionCallout, 'webhook' | 'sideEffects' | 'admissionReviewVersions'>,
  { dryRun }: { readonly dryRun: boolean },
): ReviewToSend {
  const fails = (text: string): ReviewToSend => ({
    end: { outcome: 'call-failure', text: admissionFailure(callout, text), code: 400 },
  });
  if (dryRun && callout.sideEffects === undefined) return fails('Webhook SideEffects is nil');
  if (dryRun && !withoutSideEffects.includes(callout.sideEffects)) {
    const text = `admission webhook "${callout.webhook}" does not support dry run`;
    return { end: { outcome: 'api-server-error', text, code: 400 } };
  }
  const version = callout.admissionReviewVersions.find(isKnown);
  if (version !== undefined) return { version };
  const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
  return fails(`could not create admission objects: ${why}`);
}
