import * as http from 'node:http';
import { addAbortSignal, type Duplex, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { mostRetries } from '../../../apiserver/response/repeated.ts';
import { secondsUntilRetry } from '../../../apiserver/response/response.ts';
import { largerThan, limits } from '../../../basics/limits.ts';
import type { ConnectionFailure, HttpResponse, ReviewExchange } from '../../../facts/probes.ts';
import { plainHeaders } from '../../cluster.ts';
import { failureOf, OutOfTime } from './failure.ts';

/** Milliseconds to wait for the head of a response, if the timeout is shorter: it shows how slow the server is. */
const patience = 5_000;

/** One review in the form in which the API server would POST it. */
export interface ReviewToPost {
  /** `HOST:PORT` as the API server writes it. */
  readonly host: string;
  /** Including its query. */
  readonly path: string;
  readonly body: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The result of one review: a response, or a failure; milliseconds since the connection was ready. */
export type ReviewResult = Pick<ReviewExchange, 'milliseconds' | 'repeatedAfter'> &
  ({ readonly answer: HttpResponse } | { readonly failure: ConnectionFailure });

/** A response whose body was not read yet. */
interface ResponseHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readable;
}

/**
 * Go accepts 101 as a final response: with an `Upgrade` header, its body is everything that follows on the
 * connection; without one it has no body (net/http/transport.go readResponse). Node emits other events for
 * it.
 */
function onAnswer(
  request: http.ClientRequest,
  signal: AbortSignal,
  onHead: (answer: ResponseHead) => void,
): void {
  const begin = ({ statusCode = 0, headers }: http.IncomingMessage | http.InformationEvent, body: Readable) =>
    onHead({ status: statusCode, headers, body });
  request.on('response', (response) => begin(response, response));
  request.on('upgrade', (response, socket, head) => {
    socket.unshift(head);
    begin(response, addAbortSignal(signal, socket));
  });
  request.on('information', (information) => {
    if (information.statusCode === 101) begin(information, Readable.from([]));
  });
}

const inflate = promisify(gunzip);

/** True if the decompressed body exceeds the limit. Invalid gzip is handled later. */
const isBomb = (zipped: Buffer): Promise<boolean> =>
  inflate(zipped, { maxOutputLength: limits.backendResponse }).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ERR_BUFFER_TOO_LARGE',
  );

/** The bytes of all response bodies that a run keeps. */
export interface BodyBytes {
  bytes: number;
}

const tooLarge = (how: string) => ({ body: new Uint8Array(), tooLarge: how });

async function bodyOf(
  response: Readable,
  zipped: boolean,
  kept: BodyBytes,
): Promise<Pick<HttpResponse, 'body' | 'cutShort' | 'tooLarge'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > limits.backendResponse) return tooLarge(largerThan(limits.backendResponse));
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    // `aborted`: the connection was closed prematurely. Everything else (this program's limits, a body that
    // is not HTTP) is a failure.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return { body: new Uint8Array(Buffer.concat(chunks)), cutShort: true };
  }
  if (zipped && (await isBomb(Buffer.concat(chunks)))) return tooLarge(largerThan(limits.backendResponse));
  kept.bytes += bytes;
  if (kept.bytes > limits.backendResponses)
    return tooLarge(`together with those of the other webhooks ${largerThan(limits.backendResponses)}`);
  return { body: new Uint8Array(Buffer.concat(chunks)) };
}

/** A review in progress. Times are of `performance.now()`. */
interface Posting {
  readonly started: number;
  /** When the connection was ready; the timeout starts then. */
  connected: number | undefined;
  stage: 'http' | 'body';
  /** The last error of the request, also one after the head of the response. */
  fault: NodeJS.ErrnoException | undefined;
  readonly onConnected: () => void;
}

/** Sends the request. Resolves with the head of the response. */
const begin = (
  agent: http.Agent,
  { host, path, body }: ReviewToPost,
  signal: AbortSignal,
  posting: Posting,
): Promise<ResponseHead> =>
  new Promise((resolve, reject) => {
    const request = http.request({
      agent,
      maxHeaderSize: limits.headers,
      method: 'POST',
      path,
      headers: {
        host,
        'user-agent': 'kube-apiserver-admission',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json, */*',
        'content-type': 'application/json',
        'accept-encoding': 'gzip',
      },
      signal,
    });
    request.once('socket', (_socket: Duplex) => posting.onConnected());
    onAnswer(request, signal, resolve);
    request.on('error', (error) => {
      posting.fault = error;
      reject(error);
    });
    request.end(body);
  });

/**
 * POSTs a review as kube-apiserver does (apiserver/pkg/util/webhook/client.go), over a connection of `agent`.
 * Redirects are not followed. Throws NoConnection, and the signal's reason.
 */
async function postReview(
  agent: http.Agent,
  review: ReviewToPost,
  signal: AbortSignal,
  kept: BodyBytes = { bytes: 0 },
): Promise<ReviewResult> {
  const { timeout } = review;
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const posting: Posting = {
    started: performance.now(),
    connected: undefined,
    stage: 'http',
    fault: undefined,
    onConnected() {
      posting.connected = performance.now();
      const end = () => late.abort();
      timer = setTimeout(() => {
        if (posting.stage === 'body' || timeout >= patience) end();
        else timer = setTimeout(end, patience - timeout);
      }, timeout);
    },
  };
  const since = (): number => performance.now() - (posting.connected ?? posting.started);
  try {
    const ends = AbortSignal.any([signal, late.signal]);
    const head = await begin(agent, review, ends, posting);
    posting.stage = 'body';
    const zipped = head.headers['content-encoding']?.toLowerCase() === 'gzip';
    const { cutShort, ...content } = await bodyOf(head.body, zipped, kept);
    // Trailers: the body itself was only incomplete.
    if (cutShort && posting.fault?.code === 'HPE_HEADER_OVERFLOW') throw posting.fault;
    if (cutShort && (signal.aborted || late.signal.aborted)) throw new OutOfTime(timeout);
    const answer = { status: head.status, headers: plainHeaders(head.headers), ...content };
    return { answer: cutShort ? { ...answer, cutShort } : answer, milliseconds: since() };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { stage, connected, started } = posting;
    const reason = late.signal.aborted ? new OutOfTime(timeout, stage) : error;
    const failure = failureOf(reason, { stage, first: Buffer.alloc(0), started: connected ?? started });
    return { failure, milliseconds: since() };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Repeats a review as kube-apiserver does: after a Retry-After, up to ten times, within the timeout. If the
 * last response still has a Retry-After, the API server has no time to wait for it.
 */
export async function postUntilAnswered(
  agent: http.Agent,
  review: ReviewToPost,
  signal: AbortSignal,
  kept?: BodyBytes,
): Promise<ReviewResult> {
  let left = review.timeout;
  let before: Pick<ReviewExchange, 'repeatedAfter'> = {};
  let waited = 0;
  for (let retries = 0; ; retries += 1) {
    const last = await postReview(agent, { ...review, timeout: left }, signal, kept);
    const posted = { ...last, ...before, milliseconds: review.timeout - left + last.milliseconds };
    const wait = 'answer' in posted ? secondsUntilRetry(posted.answer) : undefined;
    if (wait === undefined || !('answer' in posted)) return posted;
    if (retries === mostRetries) {
      const { 'retry-after': _, ...headers } = posted.answer.headers;
      return { ...posted, answer: { ...posted.answer, headers } };
    }
    left = review.timeout - posted.milliseconds - wait * 1000;
    if (left <= 0) return posted;
    waited += wait;
    before = { repeatedAfter: { status: posted.answer.status, seconds: wait, waited } };
    await pause(wait * 1000, undefined, { signal });
  }
}
