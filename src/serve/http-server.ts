import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Admission } from './callers.ts';

/** The response under a path. */
export interface Page {
  readonly type: string;
  readonly body: string;
  /** Default: 200. */
  readonly status?: number;
}

/** A certificate with its key, PEM. */
export interface ServedKeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** The pages of a server, their callers, and its address. */
export interface ServedPages {
  readonly host: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** Absent: without TLS. */
  readonly keyPair: ServedKeyPair | undefined;
  readonly open: Readonly<Record<string, () => Page>>;
  /** Pages for callers that `admit` allows. */
  readonly guarded: Readonly<Record<string, () => Promise<Page> | Page>>;
  readonly admit: (token: string | undefined, path: string, address: string) => Promise<Admission>;
  readonly seen: (path: string, status: number) => void;
  /** Milliseconds from the head of a request until its response must be sent. */
  readonly timeout?: number;
}

/** A running server. */
export interface RunningServer {
  readonly port: number;
  renew(keyPair: ServedKeyPair): void;
  close(): Promise<void>;
}

/** Limits: connections, connections from one address, guarded pages at once, and milliseconds for one request. */
const mostConnections = 128;
const mostOfAddress = 32;
const atOnce = 8;
const patience = 10_000;

const limits: ServerOptions = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: patience,
  requestTimeout: patience,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};

const text = (status: number, body: string): Page => ({
  type: 'text/plain; charset=utf-8',
  body: `${body}\n`,
  status,
});

const refusals: Readonly<Record<Exclude<Admission, 'allowed'>, Page>> = {
  unauthenticated: text(401, 'a bearer token that the API server accepts is required'),
  forbidden: text(403, 'you are not allowed to get this path (nonResourceURLs)'),
  busy: text(429, 'too many different callers'),
  unknown: text(503, 'the API server cannot authenticate you'),
};

const bearer = ({ headers: { authorization = '' } }: IncomingMessage): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];

/** Serves pages. Accepts only GET and HEAD, without a body. */
export async function startHttpServer(served: ServedPages): Promise<RunningServer> {
  const { host, port, keyPair } = served;
  const busy: Busy = { pages: 0 };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(served, busy, request, response);
  const server =
    keyPair === undefined
      ? createServer(limits, listener)
      : createTlsServer({ ...limits, ...tlsOptions(keyPair), handshakeTimeout: patience }, listener);
  server.maxConnections = mostConnections;
  server.on('connection', limitByAddress());
  server.setTimeout(patience, (socket) => socket.destroy());
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    renew: (renewed) => {
      if ('setSecureContext' in server) server.setSecureContext(tlsOptions(renewed));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const tlsOptions = ({ certificate, key }: ServedKeyPair) => ({
  cert: certificate,
  key,
  minVersion: 'TLSv1.2' as const,
});

function limitByAddress(): (socket: Socket) => void {
  const connections = new Map<string, number>();
  const count = (address: string, by: number): number => {
    const left = (connections.get(address) ?? 0) + by;
    if (left > 0) connections.set(address, left);
    else connections.delete(address);
    return left;
  };
  return (socket) => {
    const { remoteAddress = '' } = socket;
    socket.once('close', () => count(remoteAddress, -1));
    if (count(remoteAddress, 1) > mostOfAddress) socket.destroy();
  };
}

/** Guarded pages that are being rendered or sent. */
interface Busy {
  pages: number;
}

async function answer(
  served: ServedPages,
  busy: Busy,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  // A client that reads slowly must not keep a page busy for ever.
  const late = setTimeout(() => response.destroy(), served.timeout ?? 2 * patience);
  let reserved = 0;
  let isOver = false;
  response.once('close', () => {
    clearTimeout(late);
    busy.pages -= reserved;
    isOver = true;
  });
  const reserve = (): boolean => {
    reserved = isOver || busy.pages >= atOnce ? 0 : 1;
    busy.pages += reserved;
    return reserved === 1;
  };
  const page = await pageFor(served, request, path, reserve).catch(() =>
    text(500, 'the page could not be created'),
  );
  const { body, status = 200 } = page;
  const { open, guarded, seen } = served;
  seen(Object.hasOwn(open, path) || Object.hasOwn(guarded, path) ? path : 'other', status);
  response.writeHead(status, headersOf(page));
  response.end(request.method === 'HEAD' ? undefined : body);
}

/**
 * The page for a request, or the reason that there is none.
 *
 * @param reserve reserves one of the guarded pages at once; false if there is none left.
 */
async function pageFor(
  { open, guarded, admit }: ServedPages,
  request: IncomingMessage,
  path: string,
  reserve: () => boolean,
): Promise<Page> {
  const { method, headers, socket } = request;
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET and HEAD');
  if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined)
    return text(413, 'a request must have no body');
  const openPage = Object.hasOwn(open, path) ? open[path] : undefined;
  if (openPage !== undefined) return openPage();
  const page = Object.hasOwn(guarded, path) ? guarded[path] : undefined;
  if (page === undefined) return text(404, 'there is no such page');
  const admission = await admit(bearer(request), path, socket.remoteAddress ?? '');
  if (admission !== 'allowed') return refusals[admission];
  return reserve() ? page() : text(503, 'too many requests at the same time');
}

const headersOf = ({ type, body, status = 200 }: Page) => ({
  'content-type': type,
  'content-length': Buffer.byteLength(body),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  ...(status === 429 || status === 503 ? { 'retry-after': '1' } : {}),
  // The body of the request is not read.
  ...(status === 405 || status === 413 ? { connection: 'close' } : {}),
});
