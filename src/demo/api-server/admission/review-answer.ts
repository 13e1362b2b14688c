import type { BackendResponse } from '../backend-call.ts';
import { NotSupported } from '../status.ts';

/** The outcome of a review: allowed, denied, or an invalid response. */
export type ReviewVerdict =
  /** `patch`: a JSON Patch, if the webhook sent one. */
  | { readonly is: 'allowed'; readonly patch?: string }
  | { readonly is: 'denied'; readonly code: number; readonly message: string }
  | { readonly is: 'failed'; readonly message: string };

const failed = (message: string): ReviewVerdict => ({
  is: 'failed',
  message: `failed to call webhook: ${message}`,
});
const invalid = (message: string): ReviewVerdict => ({
  is: 'failed',
  message: `received invalid webhook response: ${message}`,
});

/** client-go's error for an HTTP status (apimachinery pkg/api/errors NewGenericServerResponse). */
function httpFault(status: number, body: string): ReviewVerdict {
  if (status === 400) return failed('the server rejected our request for an unknown reason');
  if (status === 404) return failed('the server could not find the requested resource');
  if (status === 503) return failed('the server is currently unable to handle the request');
  if (status === 500 && body.length < 2048)
    return failed(
      `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`,
    );
  throw new NotSupported(`a response of HTTP ${status}`);
}

interface Review {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly response?: {
    readonly uid?: string;
    readonly allowed?: boolean;
    readonly patch?: string;
    readonly patchType?: string;
    readonly status?: { readonly code?: number; readonly message?: string };
  };
}

function reviewIn(body: string): Review {
  try {
    return JSON.parse(body) as Review;
  } catch {
    throw new NotSupported('a response that is not JSON');
  }
}

/** Evaluates the response to a v1 review (pkg/admission/plugin/webhook/request/admissionreview.go). */
export function judgeReviewAnswer(
  { status, headers, body }: BackendResponse,
  call: { readonly uid: string; readonly webhook: string },
): ReviewVerdict {
  if (status !== 200) return httpFault(status, body);
  if (body === '')
    return failed(
      `0-length response with status code: 200 and content type: ${headers['content-type'] ?? ''}`,
    );
  const { apiVersion, kind, response } = reviewIn(body);
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview')
    throw new NotSupported('a response that is not an AdmissionReview');
  if (response === undefined) return invalid('webhook response was absent');
  if (response.uid !== call.uid)
    return invalid(`expected response.uid="${call.uid}", got "${response.uid ?? ''}"`);
  const { patch, patchType } = response;
  if (patch !== undefined && patchType !== 'JSONPatch') throw new NotSupported('a patch of no known type');
  if (response.allowed === true)
    return { is: 'allowed', ...(patch && { patch: Buffer.from(patch, 'base64').toString() }) };
  const { code = 0, message } = response.status ?? {};
  if (message === undefined || code < 400) throw new NotSupported('a denial without message or code');
  return {
    is: 'denied',
    code,
    message: `admission webhook "${call.webhook}" denied the request: ${message}`,
  };
}
