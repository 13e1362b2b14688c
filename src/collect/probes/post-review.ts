import * as http from 'node:http';
import { addAbortSignal, type Duplex, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { mostRetries } from '../../apiserver/response/repeated.ts';
import { secondsUntilRetry } from '../../apiserver/response/response.ts';
import { largerThan, limits } from '../../facts/limits.ts';
import type { ConnectionFailure, HttpResponse } from '../../facts/probes.ts';
import { plainHeaders } from '../cluster-prober.ts';
import { failureOf, OutOfTime } from './failure.ts';

/** One review, as the API server would POST it. */
export interface ReviewToPost {
  /** `HOST:PORT` as the API server writes it. */
  readonly host: string;
  /** With its query. */
  readonly path: string;
  readonly body: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** What came of one review. */
export type Posted =
  | { readonly answer: HttpResponse; readonly milliseconds: number }
  | { readonly failure: ConnectionFailure; readonly milliseconds: number };

/** An answer whose body is still to come. */
interface Begun {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readable;
}

/**
 * Go takes 101 for a whole answer: with an `Upgrade` header all that follows on the connection is its body, without
 * one it has none (net/http/transport.go readResponse). Node tells of it in events of its own.
 */
function onAnswer(request: http.ClientRequest, signal: AbortSignal, begun: (answer: Begun) => void): void {
  const begin = ({ statusCode = 0, headers }: http.IncomingMessage | http.InformationEvent, body: Readable) =>
    begun({ status: statusCode, headers, body });
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

/** Whether it unpacks to more than is taken. One that cannot be unpacked does not: what is wrong with it is judged later. */
const isBomb = (zipped: Buffer): Promise<boolean> =>
  inflate(zipped, { maxOutputLength: limits.backendAnswer }).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ERR_BUFFER_TOO_LARGE',
  );

/** What is kept of the responses of a run, so far. */
export interface KeptBytes {
  bytes: number;
}

const tooLarge = (how: string) => ({ body: new Uint8Array(), tooLarge: how });

async function bodyOf(
  response: Readable,
  zipped: boolean,
  kept: KeptBytes,
): Promise<Pick<HttpResponse, 'body' | 'cutShort' | 'tooLarge'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > limits.backendAnswer) return tooLarge(largerThan(limits.backendAnswer));
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    // `aborted`: the connection ended first. Anything else (our own limits, a body that is no HTTP) is a failure.
    if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
    return { body: new Uint8Array(Buffer.concat(chunks)), cutShort: true };
  }
  if (zipped && (await isBomb(Buffer.concat(chunks)))) return tooLarge(largerThan(limits.backendAnswer));
  kept.bytes += bytes;
  if (kept.bytes > limits.backendAnswers)
    return tooLarge(`with those of the other webhooks ${largerThan(limits.backendAnswers)}`);
  return { body: new Uint8Array(Buffer.concat(chunks)) };
}

/**
 * POSTs a review as kube-apiserver does (apiserver/pkg/util/webhook/client.go), over a connection of `agent`. Redirects
 * are not followed. Throws WayBroken, and the signal's reason.
 */
async function postReview(
  agent: http.Agent,
  { host, path, body, timeout }: ReviewToPost,
  signal: AbortSignal,
  kept: KeptBytes = { bytes: 0 },
): Promise<Posted> {
  const late = new AbortController();
  let connected: number | undefined;
  const started = performance.now();
  let stage: 'http' | 'body' = 'http';
  let timer: NodeJS.Timeout | undefined;
  let fault: NodeJS.ErrnoException | undefined;
  const since = (): number => performance.now() - (connected ?? started);
  try {
    const ends = AbortSignal.any([signal, late.signal]);
    const begun = await new Promise<Begun>((resolve, reject) => {
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
        signal: ends,
      });
      request.once('socket', (_socket: Duplex) => {
        connected = performance.now();
        timer = setTimeout(() => late.abort(), timeout);
      });
      onAnswer(request, ends, resolve);
      request.on('error', (error) => {
        fault = error;
        reject(error);
      });
      request.end(body);
    });
    stage = 'body';
    const {
      body: answered,
      cutShort,
      tooLarge: beyond,
    } = await bodyOf(begun.body, begun.headers['content-encoding']?.toLowerCase() === 'gzip', kept);
    // Trailers: the body says no more than that it ended early.
    if (cutShort && fault?.code === 'HPE_HEADER_OVERFLOW') throw fault;
    if (cutShort && (signal.aborted || late.signal.aborted)) throw new OutOfTime(timeout);
    const answer = {
      status: begun.status,
      headers: plainHeaders(begun.headers),
      body: answered,
      ...(beyond ? { tooLarge: beyond } : {}),
    };
    return { answer: cutShort ? { ...answer, cutShort } : answer, milliseconds: since() };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const reason = late.signal.aborted ? new OutOfTime(timeout) : error;
    const failure = failureOf(reason, {
      stage,
      first: Buffer.alloc(0),
      started: connected ?? started,
    });
    return { failure, milliseconds: since() };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same review, repeated as kube-apiserver repeats it: after a Retry-After, ten times at most, within the timeout. An
 * answer that still has a Retry-After then is one that the API server has no time to wait for.
 */
export async function postUntilAnswered(
  agent: http.Agent,
  review: ReviewToPost,
  signal: AbortSignal,
  kept?: KeptBytes,
): Promise<Posted> {
  let left = review.timeout;
  for (let retries = 0; ; retries += 1) {
    const last = await postReview(agent, { ...review, timeout: left }, signal, kept);
    const posted = { ...last, milliseconds: review.timeout - left + last.milliseconds };
    const wait = 'answer' in posted ? secondsUntilRetry(posted.answer) : undefined;
    if (wait === undefined || !('answer' in posted)) return posted;
    if (retries === mostRetries) {
      const { 'retry-after': _, ...headers } = posted.answer.headers;
      return { ...posted, answer: { ...posted.answer, headers } };
    }
    left = review.timeout - posted.milliseconds - wait * 1000;
    if (left <= 0) return posted;
    await pause(wait * 1000, undefined, { signal });
  }
}
