import { defined } from '../../basics/collections.ts';
import { briefEnd, messageOfLine } from '../../phrases/brief.ts';
import { listed } from '../../phrases/lists.ts';
import type { FailedCallResult } from './call-result.ts';
import type { FailedEndpoint } from './probed-endpoints.ts';
import type { ProbedEndpoint } from './probed-servers.ts';

/** Maximum length of the text of a response. */
const longestText = 200;

const answersOf = ({ probe }: ProbedEndpoint) =>
  (probe?.dialogues ?? []).flatMap(({ reviews }) => reviews.flatMap(({ answer }) => answer ?? []));

/** True if a server returned a page in place of a review: the API server's error is about its first characters. */
const returnedPage = (endpoint: FailedEndpoint): boolean =>
  endpoint.callResult.fault === 'not-a-review' &&
  answersOf(endpoint).some(({ body }) =>
    /^\s*<(?:!doctype html|html)\b/i.test(Buffer.from(body).toString('utf8')),
  );

/** The faults that are an HTTP error, with the statuses that are possible if only the API server's error is known. */
const statusesOf: Partial<Record<FailedCallResult['fault'], string>> = {
  'path-not-found': '404 or 405',
  unauthorized: '401 or 403',
  'server-error': 'an HTTP error',
};

/** `HTTP 403`, `HTTP 500 or 503`; empty if the fault is no HTTP error. */
export function statusText([first, ...others]: readonly FailedEndpoint[]): string {
  if (first === undefined || statusesOf[first.callResult.fault] === undefined) return '';
  const statuses = [first, ...others].flatMap(({ callResult: { status } }) =>
    status === undefined ? [] : [String(status)],
  );
  if (statuses.length > 0) return `HTTP ${listed(new Set(statuses), { word: 'or' })}`;
  return statusesOf[first.callResult.fault] ?? '';
}

/** What servers that hang sent before the timeout. A process that responds to a GET does not hang as a whole. */
function sentText(failed: readonly FailedEndpoint[]): string {
  if (failed.every(({ callResult }) => callResult.bodyStarted)) return 'an incomplete response';
  const stages = failed.flatMap(({ probe }) => probe?.dialogues.map(({ failure }) => failure?.stage) ?? []);
  if (stages.includes('tls')) return 'nothing, not even a TLS handshake,';
  return failed.every(({ probe }) => probe?.proxy?.reached)
    ? 'no response to a review (only to a GET)'
    : 'no response';
}

/** The status for messages about HTTP errors, and what arrived for those about hanging Pods; others do not use it. */
export const responseData = (
  failed: readonly FailedEndpoint[],
): { readonly status: string; readonly sent: string } => {
  const status = statusText(failed);
  const sent = failed.every(({ callResult }) => callResult.fault === 'hangs') ? sentText(failed) : undefined;
  return defined({ status: status === '' ? undefined : status, sent }) as ReturnType<typeof responseData>;
};

/** The compression of a body in place of a review, which the API server does not decode: Go's client asks for gzip only. */
const compressionOf = (endpoint: FailedEndpoint): string | undefined =>
  endpoint.callResult.fault === 'not-a-review'
    ? answersOf(endpoint)
        .map(({ headers }) => headers['content-encoding']?.toLowerCase())
        .find((encoding) => encoding !== undefined && !['gzip', 'identity'].includes(encoding))
    : undefined;

/** The error of a server in a few words: its own text, if it returned an HTTP error. */
export function briefError(endpoint: FailedEndpoint): string {
  if (returnedPage(endpoint)) return 'an HTML page';
  const compression = compressionOf(endpoint);
  if (compression !== undefined)
    return `Content-Encoding ${compression.slice(0, 20)}, which was not requested`;
  return briefEnd(errorBody(endpoint) ?? errorOf(endpoint));
}

/**
 * What a server returned with an HTTP error, which the API server's error does not contain for 4xx: the message of a
 * JSON body, the title of a page, or the first line of a text. Undefined for compressed and binary bodies.
 */
function errorBody(endpoint: ProbedEndpoint): string | undefined {
  const answer = answersOf(endpoint).find(({ status }) => status >= 400);
  if (answer === undefined || answer.headers['content-encoding'] !== undefined) return undefined;
  const text = Buffer.from(answer.body).toString('utf8').trim();
  const title = /<title>([^<]{1,100})<\/title>/i.exec(text)?.[1]?.trim();
  if (title !== undefined) return title.replace(/^\d{3} /, '');
  const [line = ''] = messageOfLine(text).split('\n', 1);
  return /^[<{]|^$|[\0-\x08\ufffd]/.test(line) ? undefined : line.slice(0, longestText);
}

/** The text of the error of a failed call; its kind if it has none. */
export const errorOf = ({ callResult }: FailedEndpoint): string =>
  callResult.detail || callResult.sentence || callResult.fault;

/** The error, and the text of the response if the error does not contain it. */
export function errorWithBody(endpoint: FailedEndpoint): string {
  const [error, body] = [errorOf(endpoint), errorBody(endpoint)];
  return body === undefined || error.includes(body) ? error : `${error}; body: ${body}`;
}
