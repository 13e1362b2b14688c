import { randomUUID } from 'node:crypto';
import type { AdmissionRequest } from '../../apiserver/admission/admission-request.ts';
import type { MatchFacts } from '../../apiserver/admission/match.ts';
import { reviewToSend, withoutSideEffects } from '../../apiserver/admission/review.ts';
import {
  type ConversionSample,
  conversionOf,
  conversionReview,
} from '../../apiserver/conversion/conversion-body.ts';
import { calloutUrl } from '../../apiserver/routing/callout-url.ts';
import { admissionReview } from '../../apiserver/sample/review-body.ts';
import { sampleRequests } from '../../apiserver/sample/sample-request.ts';
import { urlParts } from '../../basics/url.ts';
import {
  type AdmissionCallout,
  type Callout,
  type ConversionCallout,
  calloutId,
  isAdmission,
  isReviewed,
} from '../../facts/callout.ts';
import type { ReviewExchange } from '../../facts/probes.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import type { Unread } from '../../facts/unread.ts';
import type { ReviewToPost } from './connection/post-review.ts';
import type { ProbePayload } from './connection/probe-peer.ts';

type About = Omit<ReviewExchange, 'answer' | 'failure' | 'milliseconds'>;

/** The review that is sent to each Pod; `notSent`: why there is none, although one was intended. */
export interface CalloutPayload {
  readonly payload: ProbePayload;
  readonly notSent?: Unread;
}

const notSent = (detail: string): Unread => ({ what: 'a review', why: 'not-requested', detail });

function postOf(callout: Callout, body: object): ReviewToPost | undefined {
  const parts = urlParts(calloutUrl(callout) ?? '');
  if (parts === undefined) return undefined;
  return {
    host: parts.host,
    path: `${parts.path}?timeout=${callout.timeoutSeconds}s`,
    body: JSON.stringify(body),
    timeout: callout.timeoutSeconds * 1000,
  };
}

interface ReviewContent {
  readonly about: About;
  readonly body: object;
}

/** A review of a request, marked dryRun; or the reason why none may be sent. */
function reviewAbout(
  callout: AdmissionCallout,
  choose: () => AdmissionRequest | Unread,
  requested?: AdmissionRequest,
): ReviewContent | Unread {
  const toSend = reviewToSend(callout, { dryRun: true });
  if ('end' in toSend) {
    return notSent(
      withoutSideEffects.includes(callout.sideEffects)
        ? 'it accepts no AdmissionReview version that this program knows'
        : 'it does not declare that a dry run has no side effects (sideEffects)',
    );
  }
  const request = choose();
  if ('why' in request) return request;
  const uid = randomUUID();
  return {
    about: {
      version: toSend.version,
      uid,
      operation: request.operation,
      resource: groupResourceOf(request),
      ...(request.object === undefined ? {} : { object: request.object }),
    },
    body: admissionReview(request, toSend.version, uid, requested),
  };
}

function madeUpRequest(
  callout: AdmissionCallout,
  facts: MatchFacts,
  version: string | undefined,
): AdmissionRequest | Unread {
  const unread = facts.served.why('served');
  if (unread !== undefined) return unread;
  return (
    sampleRequests(callout, facts, version)[0]?.request ??
    notSent('no test object matches its rules and selectors')
  );
}

function reviewOf(
  callout: Callout,
  facts: MatchFacts,
  version: string | undefined,
): ReviewContent | Unread | undefined {
  if (isAdmission(callout)) return reviewAbout(callout, () => madeUpRequest(callout, facts, version));
  if (!isReviewed(callout)) return undefined;
  return conversionAbout(callout, (uid) => conversionReview(callout, uid));
}

/** Returns the review for a webhook if one may be sent, else only the handshake. */
export function payloadOf(
  callout: Callout,
  facts: MatchFacts,
  version: string | undefined,
  review: boolean,
): CalloutPayload {
  return calloutPayload(callout, review ? reviewOf(callout, facts, version) : undefined);
}

/** The review of the given request. */
export const reviewPayload = (
  callout: AdmissionCallout,
  request: AdmissionRequest,
  requested?: AdmissionRequest,
): CalloutPayload =>
  calloutPayload(
    callout,
    reviewAbout(callout, () => request, requested),
  );

/** The conversion of the given object. */
export const conversionPayload = (callout: ConversionCallout, object: object, to: string): CalloutPayload =>
  calloutPayload(
    callout,
    conversionAbout(callout, (uid) => conversionOf(callout, uid, object, to)),
  );

/** The conversion of a test object from the storage version to another one. */
export const conversionPayloadTo = (callout: ConversionCallout, version: string): CalloutPayload =>
  calloutPayload(
    callout,
    conversionAbout(
      callout,
      (uid) => conversionReview(callout, uid, version),
      `${callout.resource.group}/${version}`,
    ),
  );

function conversionAbout(
  callout: ConversionCallout,
  choose: (uid: string) => ConversionSample | undefined,
  desired?: string,
): ReviewContent | Unread {
  const uid = randomUUID();
  const sample = choose(uid);
  if (sample === undefined) return notSent('there are no two versions to convert between');
  const { group, plural } = callout.resource;
  return {
    about: {
      version: sample.version,
      uid,
      operation: 'CONVERT',
      resource: groupResourceOf({ group, resource: plural }),
      object: sample.object,
      ...(desired === undefined ? {} : { desired }),
    },
    body: sample.body,
  };
}

function calloutPayload(callout: Callout, found: ReviewContent | Unread | undefined): CalloutPayload {
  const silent = { payload: { callout: calloutId(callout), reviews: [] } };
  if (found === undefined) return silent;
  if ('why' in found) return { ...silent, notSent: found };
  const post = postOf(callout, found.body);
  if (post === undefined) return { ...silent, notSent: notSent('its URL cannot be used') };
  return { payload: { ...silent.payload, reviews: [{ about: found.about, post }] } };
}
