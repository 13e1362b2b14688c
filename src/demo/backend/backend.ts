import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendOptions, DemoBackend, ServedPair } from './options.ts';
import { answerReview, type DemoHttpAnswer, json, plainAnswer, tenantAnswer } from './review.ts';

/**
 * The responses of an aggregated API server with one group and version to discovery and lists; undefined for other paths.
 * The availability check of an APIService sends GET /apis/GROUP/VERSION and requires a 2xx
 * (kube-aggregator pkg/controllers/status/remote).
 */
function answerApi(path: string, api: string): DemoHttpAnswer | undefined {
  const [name = '', version = ''] = api.split('/');
  const groupVersion = { groupVersion: api, version };
  const group = { name, versions: [groupVersion], preferredVersion: groupVersion };
  if (path === '/apis') return json({ apiVersion: 'v1', kind: 'APIGroupList', groups: [group] });
  if (path === `/apis/${name}`) return json({ apiVersion: 'v1', kind: 'APIGroup', ...group });
  if (path === `/apis/${api}`) {
    const widgets = { name: 'widgets', singularName: 'widget', namespaced: true, kind: 'Widget' };
    return json({
      apiVersion: 'v1',
      kind: 'APIResourceList',
      groupVersion: api,
      resources: [{ ...widgets, verbs: ['get', 'list'] }],
    });
  }
  if (path.startsWith(`/apis/${api}/`) && path.endsWith('/widgets')) {
    return json({ apiVersion: api, kind: 'WidgetList', metadata: { resourceVersion: '1' }, items: [] });
  }
  return undefined;
}

interface Backend {
  readonly options: BackendOptions;
  readonly bind: string;
  /** Of `Date.now()`. */
  readonly started: number;
  leader: boolean;
  ready: boolean;
  /** Requests but health checks. */
  requests: number;
  listener: Listener | undefined;
}

/** Starts a webhook backend with the behaviour of the options. Throws if the port is taken. */
export async function startBackend(options: BackendOptions): Promise<DemoBackend> {
  const { gate, bind = '127.0.0.1', leader = true, ready = true } = options;
  const started = Date.now();
  const backend: Backend = { options, bind, started, leader, ready, requests: 0, listener: undefined };
  if (mayListen(backend)) backend.listener = await openFor(backend);
  return {
    get port() {
      return backend.listener?.port ?? 0;
    },
    get requests() {
      return backend.requests;
    },
    setReady: (value) => {
      backend.ready = value;
    },
    setLeader: async (value) => {
      const isReopened = (gate === 'certificate' || gate === 'reload') && value !== backend.leader;
      if (isReopened) await closeListener(backend);
      backend.leader = value;
      if (mayListen(backend)) backend.listener ??= await openFor(backend);
      else await closeListener(backend);
    },
    renew: (pair) => backend.listener?.renew?.(pair),
    drain: async () => backend.listener?.drain?.(),
    close: () => closeListener(backend),
  };
}

const isReady = ({ ready, options: { gate }, leader }: Backend): boolean =>
  ready && (gate !== 'readiness' || leader);

const mayListen = ({ options: { gate }, leader }: Backend): boolean => gate !== 'listener' || leader;

/** Opens the listener for the present leadership: without a certificate, or according to the options. */
const openFor = (backend: Backend): Promise<Listener> => {
  const { options, bind, leader } = backend;
  const { gate, port = 0 } = options;
  return gate === 'certificate' && !leader
    ? openTcp(port, bind, (socket) => socket.once('data', () => socket.end(internalError)))
    : openListener(options, bind, (request, response) => {
        respond(backend, request, response).catch(() => response.destroy());
      });
};

async function closeListener(backend: Backend): Promise<void> {
  await backend.listener?.close();
  backend.listener = undefined;
}

async function respond(backend: Backend, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options } = backend;
  const path = new URL(request.url ?? '/', 'http://backend').pathname;
  if (path === '/readyz' || path === '/healthz') {
    const well = path === '/healthz' || isReady(backend);
    return send(response, plainAnswer(well ? 200 : 503, well ? 'ok' : 'not ready'));
  }
  backend.requests++;
  const answer = await decide(backend, request, path);
  options.onRequest?.(`${request.method} ${path} ${answer?.status ?? options.fault}`);
  if (answer) send(response, answer);
  else if (options.fault === 'close-http') request.socket.destroy();
  else if (options.fault === 'reset-http') reset(request.socket);
}

/** The response to a request; undefined for a fault. */
async function decide(
  { options, leader, started }: Backend,
  request: IncomingMessage,
  path: string,
): Promise<DemoHttpAnswer | undefined> {
  const { gate } = options;
  const body = await text(request);
  if (options.atPath !== undefined && options.atPath !== path) return answerReview(body, {});
  if (options.delay) await sleep(options.delay);
  if (options.fault !== undefined) return undefined;
  if (gate === 'answer' && !leader) return plainAnswer(503, 'not the leader');
  const isCold = gate === 'cache' && !leader && Date.now() - started < (options.warmUp ?? 0);
  if (gate === 'tenants') return answerReview(body, { ...options, ...tenantAnswer(body, leader) });
  if (isCold) return answerReview(body, { answer: 'deny', message: 'cluster "shop" not found' });
  if (options.api !== undefined && path.startsWith('/apis')) {
    return answerApi(path, options.api) ?? plainAnswer(404, '404 page not found');
  }
  return answerReview(body, options);
}

/** The alert of a Go server that has no certificate: fatal, 80 internal_error (RFC 8446, 6.2). */
const internalError = Buffer.from('15030300020250', 'hex');

interface Listener {
  readonly port: number;
  close(): Promise<void>;
  drain?(): Promise<void>;
  renew?(pair: ServedPair): void;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function openListener(options: BackendOptions, bind: string, handler: Handler): Promise<Listener> {
  const { fault, certificate, port = 0 } = options;
  if (fault === 'hang-tls' || fault === 'close-tls' || fault === 'reset-tls') {
    return openTcp(port, bind, (socket) => {
      // After the ClientHello has arrived, so that every client gets the same error.
      if (fault === 'close-tls') socket.once('data', () => socket.destroy());
      if (fault === 'reset-tls') socket.once('data', () => reset(socket));
    });
  }
  const tls = {
    ...(options.minTls ? { minVersion: options.minTls } : {}),
    ...(options.maxTls ? { maxVersion: options.maxTls } : {}),
    // OpenSSL 3 refuses TLS below 1.2 at its default security level.
    ...(options.maxTls === 'TLSv1' || options.maxTls === 'TLSv1.1' ? { ciphers: 'DEFAULT@SECLEVEL=0' } : {}),
    ...(options.clientCa ? { ca: options.clientCa, requestCert: true, rejectUnauthorized: true } : {}),
  };
  if (certificate === undefined) {
    const server = createHttpServer(handler);
    return httpListener(server, options, await listen(server, port, bind));
  }
  const server = createHttpsServer({ ...tls, ...certificate }, handler);
  return {
    ...httpListener(server, options, await listen(server, port, bind)),
    renew: (pair) => server.setSecureContext({ ...tls, ...pair }),
  };
}

function httpListener(server: Server, options: BackendOptions, port: number): Listener {
  server.keepAliveTimeout = options.idleTimeout ?? 120_000;
  if (options.idleTimeout === 0) server.maxRequestsPerSocket = 1;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    drain: () =>
      new Promise((resolve) => {
        // Closes idle connections at once, and the others after their responses.
        server.close(() => resolve());
      }),
  };
}

async function openTcp(port: number, bind: string, onSocket: (socket: Socket) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    // Without reading, the end of the connection is not detected.
    socket.resume();
    onSocket(socket);
  });
  return {
    port: await listen(server, port, bind),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: TcpServer, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Sends RST instead of FIN. Only the raw socket below a TLS socket can do that. */
function reset(socket: Socket): void {
  const raw = (socket as Socket & { _parent?: Socket })._parent ?? socket;
  raw.resetAndDestroy();
}

function send(response: ServerResponse, answer: DemoHttpAnswer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
