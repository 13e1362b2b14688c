import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import type { Handshake } from '../../facts/probes.ts';
import { behaves } from '../../facts/server-version.ts';
import { Failed, failureOf, OutOfTime } from './failure.ts';

/** Milliseconds; client-go/transport/cache.go tlsHandshakeTimeout. */
const longestHandshake = 10_000;
/** Milliseconds until a TLS 1.3 server has said what it thinks of a client without a certificate. */
const patienceForAlert = 500;
const longestChain = 50;

/** crypto/tls/cipher_suites.go and defaults.go: what Go offers for TLS 1.2, and the three of TLS 1.3. */
const suites =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:' +
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:' +
  'ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:' +
  'ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA';
/** Key exchange by RSA alone. */
const rsaSuites = ':AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA:AES256-SHA';

/** The cipher suites that an API server of this version offers. Weak keys and signatures are seen, not refused. */
const ciphersOf = (version: string | undefined): string =>
  `${suites}${behaves(version, 'rsa-key-exchange-off') ? '' : rsaSuites}:@SECLEVEL=0`;

const contexts = new Map<string, tls.SecureContext>();

/** One for all connections of a run: making it takes as long as a part of the handshake. */
function contextOf(version: string | undefined): tls.SecureContext {
  const ciphers = ciphersOf(version);
  const context = contexts.get(ciphers) ?? tls.createSecureContext({ minVersion: 'TLSv1.2', ciphers });
  contexts.set(ciphers, context);
  return context;
}

/** How to shake hands with one server. */
export interface HandshakeWish {
  /** What the API server would ask for; an IP address is not sent. */
  readonly serverName: string;
  /** Milliseconds for the call as a whole. */
  readonly timeout: number;
  /** Version of the API server. */
  readonly version: string | undefined;
  /** Nothing is sent after the handshake: wait for what the server says to a client without a certificate. */
  readonly only: boolean;
  readonly signal: AbortSignal;
  /** performance.now() at the start of the connection. */
  readonly started: number;
}

/** TLS over `stream`, with the handshake as it went. */
export interface Secured {
  readonly socket: tls.TLSSocket;
  readonly handshake: Handshake;
  /** What the server said after the handshake, where that was waited for. */
  readonly afterwards?: Failed['failure'];
}

/** DER, in the order in which the server sent them. Must be asked once, and before anything else about the peer. */
function presentedBy(socket: tls.TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  while (certificate !== undefined && chain.length < longestChain) {
    chain.push(new Uint8Array(certificate.raw));
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

/** Rejects with {@link Failed}, WayBroken, or the signal's reason; the stream is destroyed then. */
export function shakeHands(stream: Duplex, wish: HandshakeWish): Promise<Secured> {
  const { serverName, version, only, signal, started } = wish;
  const began = performance.now();
  let first = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const timeout = Math.min(wish.timeout, longestHandshake);
    let handshake: Handshake | undefined;
    const socket = tls.connect({
      socket: stream,
      servername: isIP(serverName) === 0 ? serverName : '',
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      secureContext: contextOf(version),
      ALPNProtocols: ['http/1.1'],
    });
    let patience: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => fail(new OutOfTime(timeout)), timeout);
    const settle = (): void => {
      clearTimeout(timer);
      clearTimeout(patience);
      signal.removeEventListener('abort', stop);
      stream.off('data', watch);
      stream.off('error', fail);
      socket.off('error', fail);
      socket.off('close', closed);
      // Errors that come late, as of a stream that is destroyed, concern nobody any more.
      socket.on('error', () => undefined);
      stream.on('error', () => undefined);
    };
    const fail = (error: Error): void => {
      settle();
      socket.destroy();
      stream.destroy();
      try {
        const failure = failureOf(error, { stage: 'tls', first, started });
        if (handshake === undefined) reject(new Failed(failure));
        else resolve({ socket, handshake, afterwards: failure });
      } catch (broken) {
        if (handshake === undefined) reject(broken);
        else resolve({ socket, handshake });
      }
    };
    const stop = (): void => {
      settle();
      socket.destroy();
      stream.destroy();
      reject(signal.reason);
    };
    const closed = (): void =>
      fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
    const watch = (chunk: Buffer): void => {
      if (first.length < 16) first = Buffer.concat([first, chunk.subarray(0, 16)]);
    };
    const done = (): void => {
      if (handshake === undefined) return;
      settle();
      resolve({ socket, handshake });
    };
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    stream.on('data', watch);
    stream.on('error', fail);
    socket.on('error', fail);
    socket.on('close', closed);
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      const presented = presentedBy(socket);
      handshake = {
        protocol: socket.getProtocol() ?? '',
        cipher: socket.getCipher().standardName,
        presented,
        milliseconds: performance.now() - began,
      };
      if (!only || handshake.protocol !== 'TLSv1.3') return done();
      // Under TLS 1.3 the client is done first. A session ticket shows that the server is, too.
      socket.once('session', done);
      socket.resume();
      patience = setTimeout(done, patienceForAlert);
    });
  });
}
