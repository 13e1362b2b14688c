import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Admission } from './callers.ts';

/** What is served under a path. */
export interface Page {
  readonly type: string;
  readonly body: string;
  /** 200 unless told. */
  readonly status?: number;
}

/** A certificate with its key, PEM. */
export interface ServedKeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** What a server serves, to whom, and where. */
export interface Served {
  readonly host: string | undefined;
  /** 0: any that is free. */
  readonly port: number;
  /** Absent: without TLS. */
  readonly keyPair: ServedKeyPair | undefined;
  /** Pages that everyone may have. */
  readonly open: Readonly<Record<string, () => Page>>;
  /** Pages that `admit` decides about. */
  readonly guarded: Readonly<Record<string, () => Promise<Page> | Page>>;
  readonly admit: (token: string | undefined, path: string, address: string) => Promise<Admission>;
  readonly seen: (path: string, status: number) => void;
  /** Milliseconds from the head of a request until its answer was sent. */
  readonly patience?: number;
}

/** A server that runs. */
export interface RunningServer {
  readonly port: number;
  renew(keyPair: ServedKeyPair): void;
  close(): Promise<void>;
}

/** Connections, those of one address, pages that are made or sent at the same time, and milliseconds for one request. */
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
  forbidden: text(403, 'the API server does not let you get this path (nonResourceURLs)'),
  busy: text(429, 'too many different callers'),
  unknown: text(503, 'the API server cannot say who you are'),
};

const bearer = ({ headers: { authorization = '' } }: IncomingMessage): string | undefined =>
  /^Bearer ([\x21-\x7e]{1,8192})$/i.exec(authorization)?.[1];

/** Serves pages to be read, and takes nothing: no body, no method but GET and HEAD. */
export async function startHttpServer(served: Served): Promise<RunningServer> {
  const { open, guarded, admit, seen, host, port, keyPair } = served;
  let busy = 0;

  const pageFor = async (request: IncomingMessage, path: string, hold: () => boolean): Promise<Page> => {
    const { method, headers, socket } = request;
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET and HEAD');
    if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined)
      return text(413, 'a request must have no body');
    const everyones = Object.hasOwn(open, path) ? open[path] : undefined;
    if (everyones !== undefined) return everyones();
    const page = Object.hasOwn(guarded, path) ? guarded[path] : undefined;
    if (page === undefined) return text(404, 'there is no such page');
    const admission = await admit(bearer(request), path, socket.remoteAddress ?? '');
    if (admission !== 'allowed') return refusals[admission];
    return hold() ? page() : text(503, 'too many requests at the same time');
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    // Whoever reads an answer slowly must not hold it for ever, nor as many of them as they like.
    const late = setTimeout(() => response.destroy(), served.patience ?? 2 * patience);
    let held = 0;
    let isOver = false;
    response.once('close', () => {
      clearTimeout(late);
      busy -= held;
      isOver = true;
    });
    const hold = (): boolean => {
      held = isOver || busy >= atOnce ? 0 : 1;
      busy += held;
      return held === 1;
    };
    const {
      type,
      body,
      status = 200,
    } = await pageFor(request, path, hold).catch(() => text(500, 'the page could not be made'));
    seen(Object.hasOwn(open, path) || Object.hasOwn(guarded, path) ? path : 'other', status);
    response.writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 429 || status === 503 ? { 'retry-after': '1' } : {}),
      // What was sent along is not read.
      ...(status === 405 || status === 413 ? { connection: 'close' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response);
  const tlsOptions = ({ certificate, key }: ServedKeyPair) => ({
    cert: certificate,
    key,
    minVersion: 'TLSv1.2' as const,
  });
  const server =
    keyPair === undefined
      ? createServer(limits, listener)
      : createTlsServer({ ...limits, ...tlsOptions(keyPair), handshakeTimeout: patience }, listener);
  server.maxConnections = mostConnections;
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const count = (by: number): number => {
      const left = (connections.get(remoteAddress) ?? 0) + by;
      if (left > 0) connections.set(remoteAddress, left);
      else connections.delete(remoteAddress);
      return left;
    };
    socket.once('close', () => count(-1));
    if (count(1) > mostOfAddress) socket.destroy();
  });
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
