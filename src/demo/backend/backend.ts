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
import { answerApi } from './aggregated-api.ts';
import { listenDeaf } from './deaf-listener.ts';
import type { Backend, BackendOptions } from './options.ts';
import { answerReview, type HttpAnswer, plain } from './review.ts';
import { followCertificate, readCertificate } from './serving-certificate.ts';

/**
 * Starts a webhook backend that behaves, or misbehaves, as the options say. Throws where the certificate cannot be read
 * or the port is taken.
 */
export async function startBackend(options: BackendOptions): Promise<Backend> {
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
      return send(response, plain(well ? 200 : 503, well ? 'ok' : 'not ready'));
    }
    requests++;
    const answer = await decide(request, path);
    options.onRequest?.(`${request.method} ${path} ${answer?.status ?? options.fault}`);
    if (answer) send(response, answer);
    else if (options.fault === 'close-http') request.socket.destroy();
    else if (options.fault === 'reset-http') reset(request.socket);
  }

  async function decide(request: IncomingMessage, path: string): Promise<HttpAnswer | undefined> {
    const body = await text(request);
    if (options.delay) await sleep(options.delay);
    if (options.fault !== undefined) return undefined;
    if (gate === 'answer' && !leader) return plain(503, 'not the leader');
    const isCold = gate === 'cache' && !leader && performance.now() - started < (options.warmUp ?? 0);
    if (isCold) return answerReview(body, { answer: 'deny', message: 'cluster "shop" not found' });
    if (options.api !== undefined && path.startsWith('/apis')) {
      return answerApi(path, options.api) ?? plain(404, '404 page not found');
    }
    return answerReview(body, options);
  }

  const open = () =>
    gate === 'certificate' && !leader
      ? openTcp(options.port ?? 0, bind, (socket) => socket.once('data', () => socket.end(internalError)))
      : openListener(options, bind, (request, response) => {
          respond(request, response).catch(() => response.destroy());
        });
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
      send(response, plain(well ? 200 : 503, well ? 'ok' : 'not ready'));
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
      if (gate === 'certificate' && value !== leader) await close();
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

function send(response: ServerResponse, answer: HttpAnswer): void {
  response.writeHead(answer.status, answer.headers).end(answer.body);
}
