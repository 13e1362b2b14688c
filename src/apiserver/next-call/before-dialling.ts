import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  isAdmission,
} from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refusedByConditions } from '../admission/condition-shapes.ts';
import { neverAsked } from '../aggregation/availability.ts';
import { closedAnswer } from '../aggregation/closed-api.ts';
import { trustOf } from '../certificate/anchors.ts';
import { admissionFailure } from '../sentences/call-sentence.ts';
import { failing, type NextCall } from './call-fate.ts';

/** What stops an admission call before anything is dialled, in the API server's order (validating/dispatcher.go). */
function admissionNotMade(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'served' | 'version'>,
): NextCall | undefined {
  const refused = refusedByConditions(callout, facts);
  if (refused !== undefined) return failing('fails', 'registration', refused === '' ? [] : [refused], false);
  const { admissionReviewVersions: versions } = callout;
  if (versions.length > 0 && !versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    const stage = `could not create admission objects: ${why}`;
    return failing('fails', 'registration', [admissionFailure(callout, stage)]);
  }
  const bundle = trustOf(callout, facts.version);
  if (bundle?.kind !== 'refused') return undefined;
  return failing('fails', 'tls', [admissionFailure(callout, `could not get REST client: ${bundle.text}`)]);
}

const wasAvailable = ({ conditions }: AggregatedApiCallout): boolean =>
  conditions.some(({ type, status }) => type === 'Available' && status === 'True');

/**
 * A caBundle that loads no certificate stops every call. A CRD's requests then end in words that do not name the
 * webhook.
 */
export function notMade(callout: Callout, facts: Pick<Facts, 'served' | 'version'>): NextCall | undefined {
  if (isAdmission(callout)) return admissionNotMade(callout, facts);
  const { version } = facts;
  const bundle = trustOf(callout, version);
  if (bundle?.kind !== 'refused') return undefined;
  if (callout.kind === 'conversion') return failing('fails', 'tls', ['error resolving resource']);
  const closed = neverAsked(callout, version) && !wasAvailable(callout);
  return failing('fails', 'tls', [closed ? closedAnswer : bundle.text]);
}
