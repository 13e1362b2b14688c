import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { largerThan, limits } from '../../../basics/limits.ts';
import { slots } from '../../slots.ts';
import { LimitExceeded, ResponseLimitExceeded } from './limits.ts';

/** Milliseconds until a connection must be established; the same as Go's dial timeout. */
export const connectTimeout = 30_000;

const unzip = promisify(gunzip);

/** A response with any status. */
export interface ExchangedResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** Bytes of the body on the wire. */
  readonly bytes: number;
}

/** Receives the decompressed chunks of a successful response; the body of the response is then empty. */
export type TakeChunk = (chunk: Buffer) => void;

/** One request that is ready to be sent. */
export interface Outgoing {
  /** Default: GET. Requests with another method are sent only once, even if the connection fails. */
  readonly method?: string | undefined;
  readonly url: URL;
  /** The request target, if it is not the path of the URL: the absolute URL, for an http proxy. */
  readonly target?: string | undefined;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: Buffer | undefined;
  readonly agent: http.Agent;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the connection must be established, if less than {@link connectTimeout}. */
  readonly connectWithin?: number | undefined;
  readonly take?: TakeChunk | undefined;
}

/** The connection was not established in time. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Large bodies are decompressed one after the other: each is parsed before the next is decompressed. */
const oneAtATime = slots(1);
const large = 4 * 1024 * 1024;

/**
 * Sends one request. Rejects with Node's error if the response is incomplete, and with {@link LimitExceeded}
 * if it is too large.
 */
export async function exchange(outgoing: Outgoing): Promise<ExchangedResponse> {
  const answer = await send(outgoing);
  if (!isZipped(answer) || answer.body.length === 0 || answer.status >= 300) return answer;
  const chunkSize = pieceSize(answer.body);
  const unpacked = () => unzip(answer.body, { maxOutputLength: limits.response, chunkSize });
  try {
    return { ...answer, body: await (chunkSize > large ? oneAtATime(unpacked) : unpacked()) };
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? new ResponseLimitExceeded(largerThan(limits.response)) : error;
  }
}

const isZipped = ({ headers }: Pick<ExchangedResponse, 'headers'>): boolean =>
  headers['content-encoding'] === 'gzip';

/**
 * The chunk size for decompression: the complete body up to 4 MiB, because each chunk costs a round trip to a
 * thread. The length is in the last bytes of the body (RFC 1952, ISIZE); one byte more, because a full last
 * chunk requires another one.
 */
const pieceSize = (zipped: Buffer): number =>
  Math.min(zipped.length < 4 ? 0 : zipped.readUInt32LE(zipped.length - 4), 4 * 1024 * 1024) + 64;

function send(outgoing: Outgoing): Promise<ExchangedResponse> {
  const { method = 'GET', url, target, headers, body, agent, signal } = outgoing;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request({
      maxHeaderSize: limits.headers,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: target ?? `${url.pathname}${url.search}`,
      method,
      headers,
      agent,
      ...(signal ? { signal } : {}),
    });
    limitConnecting(request, url.protocol, outgoing.connectWithin ?? connectTimeout);
    request.once('response', (response) => {
      const taken = response.statusCode === 200;
      (taken && outgoing.take ? handOver(response, outgoing.take) : collect(response)).then(resolve, reject);
    });
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the server switched protocols (HTTP 101), which was not requested'));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed a keep-alive connection while the request was being sent: there was no response, so
      // retry.
      if (method === 'GET' && request.reusedSocket && error.code === 'ECONNRESET' && !signal?.aborted)
        send(outgoing).then(resolve, reject);
      else reject(error);
    });
    request.end(body);
  });
}

function limitConnecting(request: http.ClientRequest, protocol: string, milliseconds: number): void {
  const timer = setTimeout(() => request.destroy(new ConnectTimeout()), milliseconds);
  const done = () => clearTimeout(timer);
  request.once('close', done);
  request.once('socket', (socket) => {
    if (protocol === 'https:') {
      if (request.reusedSocket) done();
      else socket.once('secureConnect', done);
    } else if (socket.connecting) socket.once('connect', done);
    else done();
  });
}

/** The decompressed body in chunks: each can be freed before the next is decompressed. */
const unpackedPieces = (response: http.IncomingMessage): NodeJS.ReadableStream =>
  isZipped(response) ? pipeline(response, createGunzip(), () => undefined) : response;

async function handOver(response: http.IncomingMessage, take: TakeChunk): Promise<ExchangedResponse> {
  let bytes = 0;
  let unpacked = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  for await (const chunk of unpackedPieces(response)) {
    unpacked += chunk.length;
    if (unpacked > limits.lines) throw new LimitExceeded(largerThan(limits.lines));
    take(chunk as Buffer);
  }
  return { status: 200, headers: response.headers, body: Buffer.alloc(0), bytes };
}

let underWay = 0;

/** Reads the body: of a successful response chunk by chunk, of any other only the beginning, decompressed. */
async function collect(response: http.IncomingMessage): Promise<ExchangedResponse> {
  const { statusCode: status = 0, headers } = response;
  const good = status < 300;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of good ? response : unpackedPieces(response)) {
      const chunk = piece as Buffer;
      bytes += chunk.length;
      underWay += chunk.length;
      chunks.push(chunk);
      if (!good && bytes >= limits.error) break;
      if (bytes > limits.response) throw new ResponseLimitExceeded(largerThan(limits.response));
      if (underWay > limits.inProgress)
        throw new LimitExceeded(
          `together with the other responses in progress ${largerThan(limits.inProgress)}`,
        );
    }
    const body = Buffer.concat(chunks);
    return { status, headers, body: good ? body : body.subarray(0, limits.error), bytes };
  } finally {
    underWay -= bytes;
  }
}
