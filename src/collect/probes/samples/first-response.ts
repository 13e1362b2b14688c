import { evaluateConversion } from '../../../apiserver/conversion/conversion-answer.ts';
import type { EvaluatedResponse } from '../../../apiserver/response/raw-response.ts';
import { evaluateResponse } from '../../../apiserver/response/response.ts';
import { type AdmissionCallout, type ConversionCallout, isAdmission } from '../../../facts/callout.ts';
import { type CalloutProbes, probeConnectionsOf } from '../../../facts/probes.ts';
import { unreadText } from '../../../facts/unread.ts';

/** The first response of a Pod to a review, as the API server interprets it; or why there is none. */
export type FirstResponse =
  | {
      readonly evaluated: EvaluatedResponse;
      readonly object: unknown;
      readonly milliseconds: number;
      /** Different responses of other Pods: `2 of 3: denied`. */
      readonly others?: string;
    }
  | { readonly why: string };

/**
 * Returns the first response to the review that was sent to the Pods of a webhook.
 *
 * @param server the version of the API server; a current one if unknown.
 */
export function firstResponse(
  callout: AdmissionCallout | ConversionCallout,
  probes: CalloutProbes | undefined,
  server?: string,
): FirstResponse {
  const connections = probes === undefined ? [] : probeConnectionsOf(probes);
  const all = connections
    .flatMap(({ reviews }) => reviews)
    .flatMap((review) => {
      const { answer, version, uid, object, milliseconds } = review;
      if (answer === undefined) return [];
      const of = server === undefined ? {} : { server };
      const evaluated = isAdmission(callout)
        ? evaluateResponse(answer, {
            webhook: callout.webhook,
            kind: callout.kind,
            version,
            uid,
            object,
            ...of,
          })
        : evaluateConversion(answer, review, callout, server);
      return [{ evaluated, object, milliseconds }];
    });
  const [first] = all;
  if (first !== undefined) {
    const others = all.filter(({ evaluated }) => evaluated.outcome !== first.evaluated.outcome);
    const outcomes = [...new Set(others.map(({ evaluated }) => evaluated.outcome))].join(', ');
    const text = `${others.length} of ${all.length}: ${outcomes}`;
    return { ...first, ...(others.length === 0 ? {} : { others: text }) };
  }
  const [failure] = connections.flatMap(
    (one) => one.failure ?? one.reviews.flatMap((each) => each.failure ?? []),
  );
  const [unread] = [...(probes?.notTried ?? []), ...(probes?.replicas ?? []).flatMap((one) => one.notTried)];
  return { why: failure?.text ?? unread?.detail ?? (unread && unreadText(unread)) ?? 'no replica responds' };
}
