import { readFileSync } from 'node:fs';
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
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server as TlsServer } from 'node:tls';
import { listenDeaf } from './deaf-listener.ts';
import type { BackendOptions, DemoBackend, ServingCertificateKind } from './options.ts';
import { answerReview, type DemoHttpAnswer, json, knowsTenant, plainAnswer } from './review.ts';

/** Reads the pair; throws the file system's own error where a file is missing. */
function readCertificate(certificate: ServingCertificateKind): { cert: string; key: string } {
  if ('cert' in certificate) return certificate;
  const read = (name: string) => readFileSync(join(certificate.folder, name), 'utf8');
  return { cert: read('tls.crt'), key: read('tls.key') };
}

/**
 * Looks five times a second for changed files and gives them to the server; returns how to stop. A kubelet renews a mounted
 * Secret by turning a link, which file watchers miss. A pair that does not fit is left alone until it does.
 */
function followCertificate(
  server: TlsServer,
  certificate: ServingCertificateKind,
  extra: object,
): () => void {
  let current = readCertificate(certificate);
  const timer = setInterval(() => {
    try {
      const next = readCertificate(certificate);
      if (next.cert === current.cert && next.key === current.key) return;
      server.setSecureContext({ ...extra, ...next });
      current = next;
    } catch {
      // Half-written, or gone: the old pair keeps serving.
    }
  }, 200);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * What an aggregated API server of one group and version says to discovery and to lists; undefined for other paths.
 * The APIService's availability check asks for /apis/GROUP/VERSION and wants a 2xx
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

/**
 * Starts a webhook backend that behaves, or misbehaves, as the options say. Throws where the certificate cannot be read
 * or the port is taken.
 */
export async function startBackend(options: BackendOptions): Promise<DemoBackend> {
  const { gate, bind = '127.0.0.1' } = options;
  let leader = options.leader ?? true;
  let ready = options.ready ?? true;
  let requests = 0;
  let listener: Listener | undefined;
  const started = performance.now();

  const isReady = () => ready && (gate !== 'readiness' || leader);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://backend').pathname;
    if (path === '/readyz' || path === '/healthz') {
      const well = path === '/healthz' || isReady();
      return send(response, plainAnswer(well ? 200 : 503, well ? 'ok' : 'not ready'));
    }
    requests++;
    const answer = await decide(request, path);
    options.onRequest?.(`${request.method} ${path} ${answer?.status ?? options.fault}`);
    if (answer) send(response, answer);
    else if (options.fault === 'close-http') request.socket.destroy();
    else if (options.fault === 'reset-http') reset(request.socket);
  }

  async function decide(request: IncomingMessage, path: string): Promise<DemoHttpAnswer | undefined> {
    const body = await text(request);
    if (options.delay) await sleep(options.delay);
    if (options.fault !== undefined) return undefined;
    if (gate === 'answer' && !leader) return plainAnswer(503, 'not the leader');
    const isCold = gate === 'cache' && !leader && performance.now() - started < (options.warmUp ?? 0);
    if (gate === 'tenants') return answerReview(body, { ...options, ...knowsTenant(body, leader) });
    if (isCold) return answerReview(body, { answer: 'deny', message: 'cluster "shop" not found' });
    if (options.api !== undefined && path.startsWith('/apis')) {
      return answerApi(path, options.api) ?? plainAnswer(404, '404 page not found');
    }
    return answerReview(body, options);
  }

  const open = () =>
    gate === 'certificate' && !leader
      ? openTcp(options.port ?? 0, bind, (socket) => socket.once('data', () => socket.end(internalError)))
      : openListener(
          gate === 'reload' && !leader ? { ...options, reload: false } : options,
          bind,
          (request, response) => {
            respond(request, response).catch(() => response.destroy());
          },
        );
  const close = async (): Promise<void> => {
    await listener?.close();
    listener = undefined;
  };
  const mayListen = () => gate !== 'listener' || leader;
  if (!leader && options.certificate) readCertificate(options.certificate);
  if (mayListen()) listener = await open();

  let readiness: Server | undefined;
  if (options.readinessPort !== undefined) {
    readiness = createHttpServer((request, response) => {
      const well = request.url === '/healthz' || isReady();
      send(response, plainAnswer(well ? 200 : 503, well ? 'ok' : 'not ready'));
    });
    await listen(readiness, options.readinessPort, bind);
  }

  return {
    get port() {
      return listener?.port ?? 0;
    },
    get readinessPort() {
      return (readiness?.address() as AddressInfo | null | undefined)?.port;
    },
    get requests() {
      return requests;
    },
    setReady: (value) => {
      ready = value;
    },
    setLeader: async (value) => {
      const isReopened = (gate === 'certificate' || gate === 'reload') && value !== leader;
      if (isReopened) await close();
      leader = value;
      if (mayListen()) listener ??= await open();
      else await close();
    },
    drain: async () => listener?.drain?.(),
    close: async () => {
      await close();
      readiness?.closeAllConnections();
      await new Promise<void>((resolve) => (readiness ? readiness.close(() => resolve()) : resolve()));
    },
  };
}

/** What a Go server says that has no certificate to present: a fatal alert 80 (RFC 8446, 6.2). */
const internalError = Buffer.from('15030300020250', 'hex');

interface Listener {
  readonly port: number;
  close(): Promise<void>;
  drain?(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function openListener(options: BackendOptions, bind: string, handler: Handler): Promise<Listener> {
  const { fault, certificate, port = 0 } = options;
  if (fault === 'hang-accept') return listenDeaf(port, bind);
  if (fault === 'hang-tls' || fault === 'close-tls' || fault === 'reset-tls') {
    return openTcp(port, bind, (socket) => {
      // Not before the ClientHello is here: then every caller sees the same error.
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
    return httpListener(server, options, await listen(server, port, bind), () => {});
  }
  const server = createHttpsServer({ ...tls, ...readCertificate(certificate) }, handler);
  const unfollow =
    options.reload === false || 'cert' in certificate
      ? () => {}
      : followCertificate(server, certificate, tls);
  return httpListener(server, options, await listen(server, port, bind), unfollow);
}

function httpListener(server: Server, options: BackendOptions, port: number, onClose: () => void): Listener {
  server.keepAliveTimeout = options.idleTimeout ?? 120_000;
  if (options.idleTimeout === 0) server.maxRequestsPerSocket = 1;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        onClose();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    drain: () =>
      new Promise((resolve) => {
        onClose();
        // Closes what is idle as well, and the others after their answers.
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
    // Read, or the end of the connection goes unnoticed.
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

/** RST instead of FIN. A TLS socket has no raw end of its own to reset, so that its parent is. */
function reset(socket: Socket): void {
  const raw = (socket as Socket & { _parent?: Socket })._parent ?? socket;
  raw.resetAndDestroy();
}

function send(response: ServerResponse, answer: DemoHttpAnswer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
