import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

/** A server with which no call comes to an answer. */
export interface BrokenServer {
  readonly name: string;
  readonly serve: (identity: { readonly cert: string; readonly key: string }) => Server;
  /** Of the webhook; 8 unless told. */
  readonly timeoutSeconds?: number;
  /** The words of the API server hold something that nobody else knows, or either of two ends may come first. */
  readonly uncertain?: true;
}

const raw =
  (behave: (socket: Socket) => void): BrokenServer['serve'] =>
  () =>
    createServer((socket) => {
      socket.on('error', () => {});
      behave(socket);
    });

const withTls =
  (behave: (socket: TLSSocket) => void, options: TlsOptions = {}): BrokenServer['serve'] =>
  (identity) => {
    const server = createTlsServer({ ...identity, ...options }, (socket) => {
      socket.on('error', () => {});
      behave(socket);
    });
    server.on('tlsClientError', () => {});
    return server;
  };
const nothing = (): void => {};

const alerts = [
  10, 20, 21, 22, 30, 40, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 60, 70, 71, 80, 86, 90, 100, 109, 110, 111,
  112, 113, 114, 115, 116, 120, 121, 200,
];
const anyStrength = 'DEFAULT@SECLEVEL=0';

/** A connection that is closed over bytes that nobody has read is reset. */
const untilAllIsRead = 200;

const afterHello = (behave: (socket: Socket) => void): BrokenServer['serve'] =>
  raw((socket) => {
    socket.once('data', () => setTimeout(() => behave(socket), untilAllIsRead));
  });

const afterRequest = (behave: (socket: TLSSocket) => void): BrokenServer['serve'] =>
  withTls((socket) => {
    socket.once('data', () => setTimeout(() => behave(socket), untilAllIsRead));
  });

/** A fatal TLS alert (RFC 8446, 6.2) for an answer to the client's hello. */
const alerting = (number: number): BrokenServer => ({
  name: `alert ${number}`,
  serve: afterHello((socket) => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, number]))),
});
/** 503 with a Retry-After of so many seconds, whatever it is asked. */
const busy =
  (seconds: number): BrokenServer['serve'] =>
  (identity) =>
    createHttpsServer(identity, (request, response) => {
      request
        .resume()
        .once('end', () => response.writeHead(503, { 'retry-after': String(seconds) }).end('busy'));
    });

export const brokenServers: readonly BrokenServer[] = [
  {
    name: 'hangs up after the hello',
    serve: afterHello((socket) => socket.end()),
  },
  {
    name: 'resets after the hello',
    serve: afterHello((socket) => socket.resetAndDestroy()),
    uncertain: true,
  },
  { name: 'says nothing', serve: raw((socket) => socket.resume()), timeoutSeconds: 2 },
  {
    name: 'says nothing for longer than a handshake may take',
    serve: raw((socket) => socket.resume()),
    timeoutSeconds: 12,
  },
  {
    name: 'greets like a mail server',
    serve: raw((socket) => {
      socket.resume();
      socket.write('220 mail.example.com ESMTP\r\n');
    }),
  },
  {
    name: 'answers in plain HTTP',
    serve: () => createHttpServer((_, response) => response.end()) as unknown as Server,
  },
  ...alerts.map(alerting),
  {
    name: 'speaks TLS 1.1 only',
    serve: withTls(nothing, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: anyStrength }),
  },
  {
    name: 'has no cipher suite in common',
    serve: withTls(nothing, { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA256' }),
  },
  {
    name: 'wants a client certificate, TLS 1.2',
    serve: withTls(nothing, { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' }),
  },
  {
    name: 'has no protocol in common',
    serve: withTls(nothing, { ALPNProtocols: ['h3'] }),
  },
  { name: 'says nothing to a request', serve: withTls((socket) => socket.resume()), timeoutSeconds: 2 },
  { name: 'hangs up on a request', serve: afterRequest((socket) => socket.end()) },
  {
    name: 'answers a request with words',
    serve: afterRequest((socket) => socket.end('no such thing\r\n\r\n')),
    uncertain: true,
  },
  { name: 'asks to be called again at once, each time', serve: busy(0) },
  { name: 'asks to be called again a second later, each time', serve: busy(1), timeoutSeconds: 3 },
  { name: 'asks to be called again when it is too late', serve: busy(30), timeoutSeconds: 2 },
];
