import { gunzipSync } from 'node:zlib';
import { largerThan, limits } from '../../basics/limits.ts';
import { unavailableCode } from '../admission/failure-policy.ts';
import { type GoJson, GoSyntaxError, parseGoJson, TooDeepError } from '../go/json.ts';
import { goQuote } from '../go/quote.ts';
import { firstMisfit } from '../go/shape.ts';
import { fromGoJson, toGoJson } from '../go/value.ts';
import { applyPatch, decodePatch } from '../patch/json-patch.ts';
import { PanicError, PatchError, PatchLimitExceeded } from '../patch/patch-error.ts';
import { patchedFault } from '../patch/patched-object.ts';
import { admissionFailure, internalError } from '../sentences/call-sentence.ts';
import { behaves } from '../server-version.ts';
import { decodeReview, interpret } from './decode-review.ts';
import { denialOf, errorInStatus } from './denial.ts';
import { isText, mediaTypeFault } from './media-type.ts';
import type { EvaluatedResponse, RawResponse, ReviewContext } from './raw-response.ts';
import { readBody } from './read-body.ts';
import { admissionReviewKind, statusShape } from './review-shapes.ts';
import { type ReviewResponse, verifyReview } from './verify-review.ts';

/** Maximum bytes of a body that an error quotes (client-go rest maxUnstructuredResponseTextBytes). */
const quotedBytes = 2048;

const words: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/**
 * The error for an HTTP status outside 200–206 (apimachinery/pkg/api/errors NewGenericServerResponse).
 *
 * @param quoted the body, cut and trimmed; `unknown` if it is not text.
 */
function httpError(status: number, quoted: string): string {
  const known = words[status];
  if (known !== undefined) return known;
  if (status === 403 || status === 415) return quoted;
  if (status === 406) {
    const silent = quoted === '' || quoted === 'unknown';
    return silent ? 'the server was unable to respond with a content type that the client supports' : quoted;
  }
  if (status >= 500)
    return `an error on the server (${goQuote(quoted)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/**
 * A `Status` with status Failure in the body of an error: its message replaces that of the HTTP status
 * (client-go/rest/request.go Result.Error). Its kind is required, its apiVersion is not.
 */
function statusError(body: Uint8Array): { message: string; code: number } | undefined {
  if (body.length === 0) return undefined;
  const read = readBody(body);
  if (read.kind !== 'value') return undefined;
  const meta = interpret(read.value);
  if ('fault' in meta || meta.kind !== 'Status') return undefined;
  if (firstMisfit(read.value, statusShape) !== undefined) return undefined;
  const { status, message, code } = fromGoJson(read.value) as Readonly<Record<string, unknown>>;
  if (status !== 'Failure') return undefined;
  return { message: typeof message === 'string' ? message : '', code: typeof code === 'number' ? code : 0 };
}

const unknown = (why: string): EvaluatedResponse => ({ outcome: 'unknown', why });
const beyondLimit = (why: string): EvaluatedResponse => ({ outcome: 'unknown', why, beyondLimit: true });

/** HTTP statuses whose body is decoded as the review (client-go/rest/request.go transformResponse). */
export const isSuccess = (status: number): boolean => status === 101 || (status >= 200 && status <= 206);

/** Statuses after which Go's client follows a Location header. */
const redirects = [301, 302, 303, 307, 308];

type Failing = (stage: string, code: number, complete?: boolean) => EvaluatedResponse;

/** Failures without a response to verify; they start with `failed to call webhook: ` from 1.23 on. */
const failing =
  (context: ReviewContext): Failing =>
  (text, code, complete = true) => {
    const stage = behaves(context.server, 'call-stage') ? 'failed to call webhook: ' : '';
    return { outcome: 'call-failure', text: admissionFailure(context, stage + text), complete, code };
  };

const goTrim = (text: string): string =>
  text.replace(/^[\t\n\v\f\r \u0085\p{Zs}\p{Zl}\p{Zp}]+|[\t\n\v\f\r \u0085\p{Zs}\p{Zl}\p{Zp}]+$/gu, '');

/** The error for an HTTP status other than success; a Status in the body has its own message. */
function httpFailure(answer: RawResponse, body: Uint8Array, fail: Failing): EvaluatedResponse {
  const { status, headers } = answer;
  const refusal = statusError(body);
  if (refusal !== undefined) return fail(refusal.message, refusal.code);
  const text = Buffer.from(body.subarray(0, quotedBytes)).toString('utf8');
  const quoted = isText(headers['content-type'] ?? '') ? goTrim(text) : 'unknown';
  const words = httpError(status, quoted);
  const broken = quoted.indexOf('\ufffd');
  if (broken === -1 || !words.includes(quoted.slice(0, broken))) return fail(words, status);
  return fail(
    words.slice(0, words.indexOf(goQuote(quoted.slice(0, broken)).slice(1, -1)) + broken),
    status,
    false,
  );
}

function uncompressed({ headers, body }: RawResponse): Uint8Array | 'broken' | 'too-large' {
  if (headers['content-encoding']?.toLowerCase() !== 'gzip') return body;
  try {
    return gunzipSync(body, { maxOutputLength: limits.backendResponse });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'broken';
  }
}

/** Go reads ten bytes with this start as a gzip header (gunzip.go readHeader); fewer: unexpected EOF. */
const isGzip = (body: Uint8Array): boolean =>
  body.length < 10 || (body[0] === 0x1f && body[1] === 0x8b && body[2] === 8);

/** The patch of a webhook that allowed the request. */
function patched(
  response: ReviewResponse,
  context: ReviewContext,
  allowed: EvaluatedResponse,
): EvaluatedResponse {
  if (response.patch.length === 0) return allowed;
  const { webhook, server } = context;
  const undecodable = (fault: string): EvaluatedResponse => {
    if (!behaves(server, 'undecodable-patch')) return refused(fault);
    const text = admissionFailure(context, `received undecodable patch in webhook response: ${fault}`);
    return { outcome: 'call-failure', text, complete: true, code: 503 };
  };
  let json: GoJson;
  try {
    json = parseGoJson(Buffer.from(response.patch).toString('latin1'));
  } catch (error) {
    if (error instanceof GoSyntaxError) return undecodable(error.message);
    if (error instanceof TooDeepError)
      return beyondLimit(`its patch is nested deeper than ${limits.reviewDepth} levels`);
    throw error;
  }
  const operations = decodePatch(json);
  if ('fault' in operations) return undecodable(operations.fault);
  if (operations.length === 0) return allowed;
  if (context.object === undefined || context.object === null) {
    const text = `admission webhook "${webhook}" attempted to modify the object, which is not supported for this operation`;
    return refused(text);
  }
  if (response.patchType !== 'JSONPatch') {
    const text = admissionFailure(context, `unsupported patch type ${goQuote(response.patchType)}`);
    return { outcome: 'call-failure', text, complete: true, code: denialOf(webhook, response.status).code };
  }
  return withObject(context.object, operations, server, {
    ...allowed,
    patch: fromGoJson(json),
  } as EvaluatedResponse);
}

const refused = (text: string, complete = true): EvaluatedResponse => ({
  outcome: 'api-server-error',
  text: internalError(text),
  complete,
});

function withObject(
  object: unknown,
  operations: Parameters<typeof applyPatch>[1],
  server: string | undefined,
  allowed: EvaluatedResponse,
): EvaluatedResponse {
  const before = toGoJson(object);
  try {
    const after = applyPatch(before, operations, server);
    const fault = patchedFault(before, after);
    if (fault?.refused !== undefined) {
      const { text, complete, refused: code } = fault;
      return { outcome: 'api-server-error', text, complete, code };
    }
    if (fault !== undefined) return refused(fault.text, fault.complete);
    return { ...allowed, patched: fromGoJson(after) } as EvaluatedResponse;
  } catch (error) {
    if (error instanceof PatchError) return refused(error.message);
    if (error instanceof PatchLimitExceeded) return beyondLimit(error.message);
    if (error instanceof PanicError)
      return unknown('the API server aborts the request: its patch library panics');
    throw error;
  }
}

/** A review that is nested deeper than this program parses. */
export const tooDeep = beyondLimit(`its response is nested deeper than ${limits.reviewDepth} levels`);

function evaluateReview(body: Uint8Array, context: ReviewContext, fail: Failing): EvaluatedResponse {
  const decoded = decodeReview(body, context.version, admissionReviewKind, context.server);
  if (decoded.kind === 'too-deep') return tooDeep;
  if (decoded.kind === 'unknown') return beyondLimit(decoded.why);
  if (decoded.kind === 'failed') return fail(decoded.text, unavailableCode(context.server), decoded.complete);
  const response = verifyReview(decoded.review, context);
  if ('fault' in response) {
    const text = admissionFailure(context, `received invalid webhook response: ${response.fault}`);
    return { outcome: 'call-failure', text, complete: true, code: 503 };
  }
  const { warnings, auditAnnotations } = response;
  if (!response.allowed) {
    const undecided = response.undecided === true ? ({ undecided: true } as const) : {};
    return { outcome: 'denied', ...denialOf(context.webhook, response.status), warnings, ...undecided };
  }
  const ignoredError = errorInStatus(response.status);
  return patched(response, context, {
    outcome: 'allowed',
    warnings,
    auditAnnotations,
    ...(ignoredError === undefined ? {} : { ignoredError }),
  });
}

/**
 * Seconds after which the API server retries the request: after a 429 or 5xx with a Retry-After in whole
 * seconds, up to ten times (client-go/rest/with_retry.go).
 */
export const secondsUntilRetry = ({
  status,
  headers,
}: Pick<RawResponse, 'status' | 'headers'>): number | undefined => {
  const wait = headers['retry-after'] ?? '';
  return (status === 429 || status >= 500) && /^[+-]?\d+$/.test(wait) ? Math.max(Number(wait), 0) : undefined;
};

/**
 * Predicts how the API server handles a backend's response to an AdmissionReview: client-go/rest/request.go
 * transformResponse and Into, webhook/request/admissionreview.go, webhook/mutating/dispatcher.go. `unknown`
 * if one response does not decide it: a redirect, a Retry-After.
 */
export function evaluateResponse(answer: RawResponse, context: ReviewContext): EvaluatedResponse {
  const body = bodyToDecode(answer, context);
  return body instanceof Uint8Array ? evaluateReview(body, context, failing(context)) : body;
}

/** The body to decode as the review, or the result of the call if it fails before decoding. */
export function bodyToDecode(answer: RawResponse, context: ReviewContext): Uint8Array | EvaluatedResponse {
  const { status, headers } = answer;
  const fail = failing(context);
  if (redirects.includes(status) && (headers.location ?? '') !== '') {
    return unknown(`it depends on the server at ${headers.location}`);
  }
  if (secondsUntilRetry(answer) !== undefined)
    return unknown(`it repeats the request after ${headers['retry-after']} s`);
  const body = uncompressed(answer);
  const tooLarge = body === 'too-large' ? largerThan(limits.backendResponse) : answer.tooLarge;
  if (body === 'too-large' || tooLarge !== undefined) return beyondLimit(`its response ${tooLarge}`);
  const unread = 'unexpected error when reading response body. Please retry. Original error: ';
  if (body === 'broken') {
    const words = isGzip(answer.body) ? undefined : 'gzip: invalid header';
    return fail(`${unread}${words ?? ''}`, unavailableCode(context.server), words !== undefined);
  }
  if (answer.cutShort) return fail(`${unread}unexpected EOF`, unavailableCode(context.server));
  const contentType = headers['content-type'] ?? '';
  const fault = contentType === '' ? undefined : mediaTypeFault(contentType);
  if (fault !== undefined) return fail(internalError(fault), 500);
  if (!isSuccess(status)) return httpFailure(answer, body, fail);
  if (body.length === 0) {
    const type = contentType === '' ? 'application/json' : contentType;
    return fail(
      `0-length response with status code: ${status} and content type: ${type}`,
      unavailableCode(context.server),
    );
  }
  return body;
}
