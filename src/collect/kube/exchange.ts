import * as http from 'node:http';
import * as https from 'node:https';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import { largerThan, limits } from '../../facts/limits.ts';
import { slots } from '../slots.ts';
import { LimitExceeded, ResponseLimitExceeded } from './limits.ts';

/** Milliseconds until a connection must stand; Go gives dialling as much. */
export const connectTimeout = 30_000;

const unzip = promisify(gunzip);

/** An answer of whatever status. */
export interface ExchangedResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** Bytes of the body on the wire. */
  readonly bytes: number;
}

/** Is handed the body of a good answer piece by piece, decompressed; the answer's own body is empty then. */
export type Take = (chunk: Buffer) => void;

/** One request, ready to be sent. */
export interface Outgoing {
  /** GET unless told. Any other is sent once, whatever happens to the connection. */
  readonly method?: string | undefined;
  readonly url: URL;
  /** What is asked for, where it is not the URL's path: the whole URL, for an http proxy. */
  readonly target?: string | undefined;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: Buffer | undefined;
  readonly agent: http.Agent;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the connection must stand, where it is less than {@link connectTimeout}. */
  readonly connectWithin?: number | undefined;
  readonly take?: Take | undefined;
}

/** No connection within the time for it. */
class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Large ones are unpacked one after the other: what is unpacked is parsed before the next one is there. */
const oneAtATime = slots(1);
const large = 4 * 1024 * 1024;

/** One request. Rejects with Node's error when there is no whole answer, with {@link LimitExceeded} when it is too large. */
export async function exchange(outgoing: Outgoing): Promise<ExchangedResponse> {
  const answer = await send(outgoing);
  if (!isZipped(answer) || answer.body.length === 0 || answer.status >= 300) return answer;
  const chunkSize = pieceSize(answer.body);
  const unpacked = () => unzip(answer.body, { maxOutputLength: limits.answer, chunkSize });
  try {
    return { ...answer, body: await (chunkSize > large ? oneAtATime(unpacked) : unpacked()) };
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? new ResponseLimitExceeded(largerThan(limits.answer)) : error;
  }
}

const isZipped = ({ headers }: Pick<ExchangedResponse, 'headers'>): boolean =>
  headers['content-encoding'] === 'gzip';

/**
 * Bytes that are unpacked at a time: all at once, up to 4 MiB, as a thread is asked and waited for once per piece. The
 * length stands at the end (RFC 1952, ISIZE); one byte more, or the last piece is full and asks for another.
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
      reject(new Error('the server changed the protocol (HTTP 101) without being asked to'));
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server ended a kept connection while the request was on its way: nothing was answered, so ask again.
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

/** The body as it is meant, in pieces: each is let go before the next one is unpacked. */
const unpackedPieces = (response: http.IncomingMessage): NodeJS.ReadableStream =>
  isZipped(response) ? pipeline(response, createGunzip(), () => undefined) : response;

async function handOver(response: http.IncomingMessage, take: Take): Promise<ExchangedResponse> {
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

/** A good answer as it comes; of any other the beginning, unpacked. */
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
      if (bytes > limits.answer) throw new ResponseLimitExceeded(largerThan(limits.answer));
      if (underWay > limits.underWay)
        throw new LimitExceeded(`with the others under way ${largerThan(limits.underWay)}`);
    }
    const body = Buffer.concat(chunks);
    return { status, headers, body: good ? body : body.subarray(0, limits.error), bytes };
  } finally {
    underWay -= bytes;
  }
}
