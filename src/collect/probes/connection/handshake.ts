import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import { behaves } from '../../../apiserver/server-version.ts';
import type { Handshake } from '../../../facts/probes.ts';
import { Failed, failureOf, OutOfTime } from './failure.ts';

/** Types of TLS records and handshake messages (RFC 5246, 6.2.1 and 7.4). */
const [handshakeRecord, serverHello, certificate] = [22, 2, 11];
const headerOfRecord = 5;
const headerOfMessage = 4;
/** ServerHello contains this extension for TLS 1.3, which encrypts certificates (RFC 8446, 4.2.1). */
const supportedVersions = 43;

/** The content of the leading handshake records. */
function handshakeBytes(received: Buffer): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  while (received[at] === handshakeRecord && at + headerOfRecord <= received.length) {
    const length = received.readUInt16BE(at + 3);
    parts.push(received.subarray(at + headerOfRecord, at + headerOfRecord + length));
    at += headerOfRecord + length;
  }
  return Buffer.concat(parts);
}

/** Handshake messages that are complete, by type. */
function messages(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const found = new Map<number, Buffer>();
  let at = 0;
  while (at + headerOfMessage <= bytes.length) {
    const [type = 0, end] = [bytes[at], at + headerOfMessage + bytes.readUIntBE(at + 1, 3)];
    if (end > bytes.length) break;
    found.set(type, bytes.subarray(at + headerOfMessage, end));
    at = end;
  }
  return found;
}

/** Splits items, the first `most`, that are preceded by a length of three bytes; undefined if a length exceeds the data. */
function limitedBytes(bytes: Buffer, most: number): readonly Buffer[] | undefined {
  const items: Buffer[] = [];
  let at = 0;
  while (at < bytes.length && items.length < most) {
    if (at + 3 > bytes.length) return undefined;
    const [start, end] = [at + 3, at + 3 + bytes.readUIntBE(at, 3)];
    if (end > bytes.length) return undefined;
    items.push(bytes.subarray(start, end));
    at = end;
  }
  return items;
}

function isVersion13(hello: Buffer): boolean {
  const sessionId = hello[34] ?? 0;
  // Version, random, session id, cipher suite, compression; then the length of the extensions.
  let at = 35 + sessionId + 3 + 2;
  while (at + 4 <= hello.length) {
    if (hello.readUInt16BE(at) === supportedVersions) return true;
    at += 4 + hello.readUInt16BE(at + 2);
  }
  return false;
}

/**
 * The certificates (DER, the server's own first) that a server sent in plain text, as in TLS up to 1.2;
 * undefined if none can be parsed: OpenSSL may abort a handshake before it returns them.
 *
 * @param received what the server sent from the start of the connection.
 * @param most the maximum number of certificates; a server can send thousands.
 */
export function plainCertificates(received: Buffer, most: number): readonly Uint8Array[] | undefined {
  const found = messages(handshakeBytes(received));
  const [hello, content] = [found.get(serverHello), found.get(certificate)];
  if (hello === undefined || content === undefined || isVersion13(hello)) return undefined;
  if (content.length < 3 || content.readUIntBE(0, 3) !== content.length - 3) return undefined;
  return limitedBytes(content.subarray(3), most)?.map((der) => new Uint8Array(der));
}

/** Milliseconds; client-go/transport/cache.go tlsHandshakeTimeout. */
const longestHandshake = 10_000;
/** Milliseconds to wait for the alert of a TLS 1.3 server that requires a client certificate. */
const alertTimeout = 500;
const longestChain = 50;
/** Bytes of a server's first messages: OpenSSL reads certificate messages up to 100 KiB. */
const longestFlight = 128 * 1024;

/**
 * The cipher suites that Go offers for TLS 1.2, and the three of TLS 1.3: crypto/tls/cipher_suites.go and
 * defaults.go.
 */
const suites =
  'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:' +
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:' +
  'ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:' +
  'ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA';
const rsaSuites = ':AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA:AES256-SHA';

/**
 * The cipher suites that an API server of this version offers. Weak keys and signatures are accepted, so that
 * they can be reported.
 */
const ciphersOf = (version: string | undefined): string =>
  `${suites}${behaves(version, 'rsa-key-exchange-off') ? '' : rsaSuites}:@SECLEVEL=0`;

const contexts = new Map<string, tls.SecureContext>();

/** Cached: creating a context takes as long as a part of the handshake. */
function contextOf({ version, plain }: HandshakeOptions): tls.SecureContext {
  const ciphers = ciphersOf(version);
  const maxVersion = plain === true ? 'TLSv1.2' : 'TLSv1.3';
  const key = `${maxVersion} ${ciphers}`;
  const context =
    contexts.get(key) ?? tls.createSecureContext({ minVersion: 'TLSv1.2', maxVersion, ciphers });
  contexts.set(key, context);
  return context;
}

interface HandshakeOptions {
  /** The name that the API server sends (SNI); an IP address is not sent. */
  readonly serverName: string;
  /** The timeout of the complete call in milliseconds. */
  readonly timeout: number;
  readonly version: string | undefined;
  /** Nothing is sent after the handshake: waits for the alert of a server that requires a certificate. */
  readonly only: boolean;
  /** TLS 1.2, in which the server sends its certificates in plain text. */
  readonly plain?: boolean;
  readonly signal: AbortSignal;
  /** performance.now() at the start of the connection. */
  readonly started: number;
}

/** A TLS connection after its handshake. */
export interface TlsConnection {
  readonly socket: tls.TLSSocket;
  readonly handshake: Handshake;
  /** The failure after the handshake, if it was waited for. */
  readonly afterwards?: Failed['failure'];
}

/** DER, in the order of the server. Must be called once, before any other getter for the peer. */
function presentedBy(socket: tls.TLSSocket): readonly Uint8Array[] {
  const chain: Uint8Array[] = [];
  let certificate: X509Certificate | undefined = socket.getPeerX509Certificate();
  while (certificate !== undefined && chain.length < longestChain) {
    chain.push(new Uint8Array(certificate.raw));
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

/**
 * Completes the TLS handshake. Rejects with {@link Failed}, NoConnection, or the signal's reason; the stream is
 * then destroyed.
 */
export const tlsHandshake = (stream: Duplex, options: HandshakeOptions): Promise<TlsConnection> =>
  new Promise((resolve, reject) => new Attempt(stream, options, resolve, reject).start());

/** A handshake in progress. It settles once. */
class Attempt {
  private readonly began = performance.now();
  private readonly stream: Duplex;
  private readonly wish: HandshakeOptions;
  private readonly resolve: (secured: TlsConnection) => void;
  private readonly reject: (error: unknown) => void;
  private readonly socket: tls.TLSSocket;
  private readonly timer: NodeJS.Timeout;
  private patience: NodeJS.Timeout | undefined;
  /** The bytes that the server sent: the first show whether it uses TLS, others contain certificates. */
  private readonly received: Buffer[] = [];
  private size = 0;
  private handshake: Handshake | undefined;

  constructor(
    stream: Duplex,
    options: HandshakeOptions,
    resolve: (secured: TlsConnection) => void,
    reject: (error: unknown) => void,
  ) {
    this.stream = stream;
    this.wish = options;
    this.resolve = resolve;
    this.reject = reject;
    this.socket = tls.connect({
      socket: stream,
      servername: isIP(options.serverName) === 0 ? options.serverName : '',
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
      secureContext: contextOf(options),
      ALPNProtocols: ['http/1.1'],
    });
    const timeout = Math.min(options.timeout, longestHandshake);
    this.timer = setTimeout(() => this.fail(new OutOfTime(timeout)), timeout);
  }

  start(): void {
    const { stream, socket, wish: options } = this;
    if (options.signal.aborted) {
      this.stop();
      return;
    }
    options.signal.addEventListener('abort', this.stop, { once: true });
    stream.on('data', this.watch);
    stream.on('error', this.fail);
    socket.on('error', this.fail);
    socket.on('close', this.closed);
    socket.once('secureConnect', this.secured);
  }

  private readonly secured = (): void => {
    const { socket } = this;
    clearTimeout(this.timer);
    const presented = presentedBy(socket);
    this.handshake = {
      protocol: socket.getProtocol() ?? '',
      cipher: socket.getCipher().standardName,
      presented,
      milliseconds: performance.now() - this.began,
    };
    if (!this.wish.only || this.handshake.protocol !== 'TLSv1.3') {
      this.done();
      return;
    }
    // With TLS 1.3 the client finishes first. A session ticket shows that the server has finished, too.
    socket.once('session', this.done);
    socket.resume();
    this.patience = setTimeout(this.done, alertTimeout);
  };

  private readonly done = (): void => {
    if (this.handshake === undefined) return;
    this.settle();
    this.resolve({ socket: this.socket, handshake: this.handshake });
  };

  private readonly fail = (error: Error): void => {
    const { socket, handshake } = this;
    const received = Buffer.concat(this.received);
    this.settle();
    this.destroy();
    try {
      const failure = failureOf(error, { stage: 'tls', first: received, started: this.wish.started });
      if (handshake === undefined)
        this.reject(new Failed(failure, plainCertificates(received, longestChain)));
      else this.resolve({ socket, handshake, afterwards: failure });
    } catch (broken) {
      if (handshake === undefined) this.reject(broken);
      else this.resolve({ socket, handshake });
    }
  };

  private readonly stop = (): void => {
    this.settle();
    this.destroy();
    this.reject(this.wish.signal.reason);
  };

  private readonly closed = (): void =>
    this.fail(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));

  private readonly watch = (chunk: Buffer): void => {
    if (this.handshake !== undefined || this.size >= longestFlight) return;
    this.received.push(chunk);
    this.size += chunk.length;
  };

  private destroy(): void {
    this.socket.destroy();
    this.stream.destroy();
  }

  private settle(): void {
    const { stream, socket } = this;
    clearTimeout(this.timer);
    clearTimeout(this.patience);
    this.wish.signal.removeEventListener('abort', this.stop);
    stream.off('data', this.watch);
    stream.off('error', this.fail);
    socket.off('error', this.fail);
    socket.off('close', this.closed);
    // Later errors, such as those of a destroyed stream, are ignored.
    socket.on('error', () => undefined);
    stream.on('error', () => undefined);
  }
}
