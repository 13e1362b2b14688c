import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';

import { authorityDraft, type Draft, serverDraft, signDraft } from '../oracle/certificate/chain-draft.ts';
import {
  bits,
  identifier,
  integer,
  nothing as nothingDer,
  sequence,
} from '../oracle/certificate/der-encoder.ts';
import { pemOf } from '../oracle/certificate/make-certificate.ts';
import { type TestKey, testKey } from '../oracle/certificate/test-key.ts';

/** A certificate for the server's address that the API server accepts, and its CA. */
export interface Identity {
  readonly address: string;
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** A server with which no call succeeds. */
export interface BrokenServer {
  readonly name: string;
  readonly serve: (identity: Identity) => Server;
  /** timeoutSeconds of the webhook; default 8. */
  readonly timeoutSeconds?: number;
  /** The error of the API server contains data that no other client has, or there are two possible errors. */
  readonly uncertain?: true;
  /** Characters of data in the object of the request; default: none. */
  readonly data?: number;
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
  ({ cert, key }) => {
    const server = createTlsServer({ cert, key, ...options }, (socket) => {
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

/** Closing a connection with unread bytes resets it. */
const untilAllIsRead = 200;

const afterHello = (behave: (socket: Socket) => void): BrokenServer['serve'] =>
  raw((socket) => {
    socket.once('data', () => setTimeout(() => behave(socket), untilAllIsRead));
  });

const afterRequest = (behave: (socket: TLSSocket) => void): BrokenServer['serve'] =>
  withTls((socket) => {
    socket.once('data', () => setTimeout(() => behave(socket), untilAllIsRead));
  });

/** Resets the connection after it has read the start of a request, or has read nothing after the handshake. */
const resettingRequests =
  (reads: boolean): BrokenServer['serve'] =>
  ({ cert, key }) => {
    const connections = new Map<number | undefined, Socket>();
    const server = createTlsServer({ cert, key }, (socket) => {
      socket.on('error', nothing);
      const reset = () =>
        setTimeout(() => connections.get(socket.remotePort)?.resetAndDestroy(), untilAllIsRead);
      if (reads) socket.once('data', reset);
      else reset();
    });
    return server
      .on('tlsClientError', nothing)
      .on('connection', (socket: Socket) => connections.set(socket.remotePort, socket));
  };

/** A server that responds to ClientHello with a fatal TLS alert (RFC 8446, 6.2). */
const alerting = (number: number): BrokenServer => ({
  name: `alert ${number}`,
  serve: afterHello((socket) => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, number]))),
});
/** 503 with a Retry-After of that many seconds for every request. */
const busy =
  (seconds: number): BrokenServer['serve'] =>
  ({ cert, key }) =>
    createHttpsServer({ cert, key }, (request, response) => {
      request
        .resume()
        .once('end', () => response.writeHead(503, { 'retry-after': String(seconds) }).end('busy'));
    });

const root = authorityDraft(0, new Date());
const rootCertificate = signDraft(root);
/** The CA of the servers that present certificates of {@link presenting}. */
export const rootOfBrokenServers = pemOf(rootCertificate);

/** Content with its length in three bytes before it. */
function counted(content: Buffer): Buffer {
  const length = Buffer.alloc(3);
  length.writeUIntBE(content.length, 0, 3);
  return Buffer.concat([length, content]);
}

const handshake = (type: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([type]), counted(content)]);

const [ecdheRsaAes128, ecdheEcdsaAes128] = [
  [0xc0, 0x2f],
  [0xc0, 0x2b],
];

/** A key of X25519 with a signature that no key has made (RFC 8422, 5.4): r and s are 1. */
const withForeignSignature = Buffer.from([
  ...[3, 0x00, 0x1d, 32],
  ...Buffer.alloc(32, 9),
  ...[0x04, 0x03, 0, 8, 0x30, 6, 2, 1, 1, 2, 1, 1],
]);

/** TLS 1.2 up to the certificates (RFC 5246, 7.4.1.3 and 7.4.2), in records of at most 16 KiB. */
function helloWith(chain: readonly Buffer[], suite = ecdheRsaAes128, keyExchange?: Buffer): Buffer {
  const version = [3, 3];
  // Without the extension renegotiation_info (RFC 5746), OpenSSL gets no further.
  const extensions = [0, 5, 0xff, 1, 0, 1, 0];
  const hello = Buffer.from([...version, ...Buffer.alloc(32, 7), 0, ...suite, 0, ...extensions]);
  const flight = Buffer.concat([
    handshake(2, hello),
    handshake(11, counted(Buffer.concat(chain.map(counted)))),
    ...(keyExchange === undefined ? [] : [handshake(12, keyExchange)]),
    // Go reads one message more before it verifies the chain: ServerHelloDone.
    handshake(14, Buffer.alloc(0)),
  ]);
  const largest = 16_384;
  return Buffer.concat(
    Array.from({ length: Math.ceil(flight.length / largest) }, (_, at) => {
      const record = flight.subarray(at * largest, (at + 1) * largest);
      return Buffer.concat([Buffer.from([22, ...version, record.length >> 8, record.length & 0xff]), record]);
    }),
  );
}

const leaf = (address: string, change: Partial<Draft> = {}): Buffer =>
  signDraft(
    { ...serverDraft('', new Date()), names: [{ ip: address.split('.').map(Number) }], ...change },
    root,
  );

/** Certificates that make OpenSSL abort the handshake. */
const presenting = (what: string, chain: (identity: Identity) => readonly Buffer[]): BrokenServer => ({
  name: `presents ${what}`,
  serve: (identity) =>
    afterHello((socket) => {
      socket.write(helloWith(chain(identity)));
      setTimeout(() => socket.end(), untilAllIsRead);
    })(identity),
});

const [rsa, rsaPss] = ['1.2.840.113549.1.1.1', '1.2.840.113549.1.1.10'];

/** A public key of that many bits without a private key. */
const rsaKey = (length: number, algorithm = rsa): TestKey => ({
  ...testKey('rsa1024'),
  spki: sequence(
    sequence(identifier(algorithm), ...(algorithm === rsa ? [nothingDer] : [])),
    bits(sequence(integer((1n << BigInt(length)) - 1n), integer(65_537))),
  ),
});
const garbage = Buffer.from('garbage');

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
  presenting('garbage', () => [garbage]),
  // Go 1.24 sends another alert than Go 1.25.
  { ...presenting('an empty certificate', () => [Buffer.alloc(0)]), uncertain: true },
  presenting('garbage behind its certificate', ({ address }) => [leaf(address), garbage]),
  presenting('its CA first', ({ address }) => [rootCertificate, leaf(address)]),
  presenting('an RSA key of 8193 bits', ({ address }) => [leaf(address, { key: rsaKey(8193) })]),
  presenting('a key for RSA-PSS alone', ({ address }) => [leaf(address, { key: rsaKey(2048, rsaPss) })]),
  presenting('a signature of RSA-PSS with other parameters', ({ address }) => [
    leaf(address, { scheme: 'SHA256-RSAPSS with a short salt' }),
  ]),
  {
    name: 'has a key that does not fit its certificate',
    serve: (identity) =>
      afterHello((socket) => {
        socket.write(helloWith([leaf(identity.address)], ecdheEcdsaAes128, withForeignSignature));
        setTimeout(() => socket.end(), untilAllIsRead);
      })(identity),
    uncertain: true,
  },
  presenting('certificates of 20 KiB', ({ address }) => [
    leaf(address, { names: Array.from({ length: 800 }, (_, at) => ({ dns: `${at}.names.example.com` })) }),
  ]),
  { name: 'asks to be called again at once, each time', serve: busy(0) },
  { name: 'asks to be called again a second later, each time', serve: busy(1), timeoutSeconds: 3 },
  { name: 'asks to be called again when it is too late', serve: busy(30), timeoutSeconds: 2 },
  { name: 'hangs up before the hello', serve: raw((socket) => socket.end()) },
  // Go reports it as an error of connect or of read.
  { name: 'resets before the hello', serve: raw((socket) => socket.resetAndDestroy()), uncertain: true },
  { name: 'resets on a request', serve: resettingRequests(true), uncertain: true },
  {
    // A request of many records; Go reports the error of its read, not of its write.
    name: 'resets while a request is written',
    serve: resettingRequests(false),
    uncertain: true,
    data: 900_000,
  },
  {
    // The last one: no other server gets its port.
    name: 'no longer listens',
    serve: () => {
      const server = createServer();
      return server.once('listening', () => {
        const address = server.address();
        server.close();
        server.address = () => address;
      });
    },
  },
];
