import { largerThan, limits } from '../../../basics/limits.ts';
import type { ConnectionFailure } from '../../../facts/probes.ts';

/** A failed connection, as an error for Node's streams. */
export class Failed extends Error {
  readonly failure: ConnectionFailure;
  /** The certificates (DER) that the server sent before the handshake failed. */
  readonly presented: readonly Uint8Array[] | undefined;
  constructor(failure: ConnectionFailure, presented?: readonly Uint8Array[]) {
    super(failure.text);
    this.name = 'Failed';
    this.failure = failure;
    this.presented = presented;
  }
}

/** No connection to the peer was possible: nothing is known about the peer itself. */
export class NoConnection extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'NoConnection';
  }
}

/** The timeout expired. */
export class OutOfTime extends Error {
  constructor(milliseconds: number, stage?: ConnectionFailure['stage']) {
    super(`no ${stage === 'body' ? 'complete ' : ''}response within ${milliseconds / 1000} s`);
    this.name = 'OutOfTime';
  }
}

type Kind = ConnectionFailure['kind'];

const byCode: Readonly<Record<string, Kind>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timed-out',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
};

/** Errors of this program's limits: a response was too large, so the API server's reaction is unknown. */
const ours: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `its header or trailer section ${largerThan(limits.headers)}`,
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE:
    'its certificates, or another message of its handshake, are larger than the limit of OpenSSL (100 KiB)',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: `a message of the port-forward ${largerThan(limits.frame)}`,
};

/** Errors of the container runtime, which connects in the Pod's network; the kubelet passes them on. */
const ofRuntime: readonly (readonly [RegExp, Kind])[] = [
  [/connection refused/i, 'refused'],
  [/connection reset by peer|broken pipe/i, 'reset'],
  [/i\/o timeout|connection timed out|deadline exceeded/i, 'timed-out'],
  [/no route to host|network is unreachable/i, 'unreachable'],
];

/** The kind of failure at the port; undefined if the runtime's error is not about the port. */
const kindOfForward = (text: string): Kind | undefined =>
  ofRuntime.find(([pattern]) => pattern.test(text))?.[1];

/** Classifies the bytes received before the handshake failed, as Go does (tls, net/http transport.go). */
const kindOfBytes = (first: Buffer): Kind =>
  first.subarray(0, 5).toString('latin1') === 'HTTP/' ? 'plain-http' : 'not-tls';

/** OpenSSL's errors for a signature of ECDSA, of RSA, and of RSA-PSS that the key does not verify. */
const foreignKey =
  /^ERR_SSL_(BAD_SIGNATURE|PROVIDER_SIGNATURE_FAILURE|INVALID_PADDING|(FIRST|LAST)_OCTET_INVALID)$/;
const noTls = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER_FAILURE/;

/** The state of a connection when it failed. */
export interface FailureContext {
  readonly stage: ConnectionFailure['stage'];
  /** The first bytes that the peer sent. */
  readonly first: Buffer;
  /** performance.now() at the start of the connection. */
  readonly started: number;
}

/** TLS alerts by number, in Go's wording: crypto/tls/alert.go. */
const alerts: Readonly<Record<number, string>> = {
  0: 'close notify',
  10: 'unexpected message',
  20: 'bad record MAC',
  21: 'decryption failed',
  22: 'record overflow',
  30: 'decompression failure',
  40: 'handshake failure',
  42: 'bad certificate',
  43: 'unsupported certificate',
  44: 'revoked certificate',
  45: 'expired certificate',
  46: 'unknown certificate',
  47: 'illegal parameter',
  48: 'unknown certificate authority',
  49: 'access denied',
  50: 'error decoding message',
  51: 'error decrypting message',
  60: 'export restriction',
  70: 'protocol version not supported',
  71: 'insufficient security level',
  80: 'internal error',
  86: 'inappropriate fallback',
  90: 'user canceled',
  100: 'no renegotiation',
  109: 'missing extension',
  110: 'unsupported extension',
  111: 'certificate unobtainable',
  112: 'unrecognized name',
  113: 'bad certificate status response',
  114: 'bad certificate hash value',
  115: 'unknown PSK identity',
  116: 'certificate required',
  120: 'no application protocol',
  121: 'encrypted client hello required',
};

const named = (number: number): string => alerts[number] ?? `alert(${number})`;

/** The alert in an OpenSSL error, in Go's wording; undefined if the error is not an alert. */
function alertOf(message: string): string | undefined {
  const number = /SSL alert number (\d+)/.exec(message)?.[1];
  return number === undefined ? undefined : named(Number(number));
}

/**
 * The fatal alert with which a server responded to the ClientHello, from its first bytes (RFC 8446, 5.1 and
 * 6): OpenSSL does not report alerts that it does not know.
 */
function alertIn(first: Buffer): string | undefined {
  const [type, , , , , level, number] = first;
  return type === 0x15 && level === 2 && number !== undefined ? named(number) : undefined;
}

const alertFrom = (error: Error, { stage, first }: FailureContext): string | undefined =>
  alertOf(error.message) ?? (stage === 'tls' ? alertIn(first) : undefined);

function kindOf(error: NodeJS.ErrnoException, context: FailureContext): Kind | undefined {
  const { stage, first } = context;
  if (error.name === 'ForwardError') return kindOfForward(error.message);
  if (error.name === 'ForwardBroken') return undefined;
  if (error.name === 'OutOfTime') return 'timed-out';
  if (alertFrom(error, context) !== undefined) return 'alert';
  const code = error.code ?? '';
  if (code in ours) return 'other';
  if (code.startsWith('HPE_')) return code === 'HPE_INVALID_EOF_STATE' ? 'closed' : 'malformed-http';
  if (stage === 'tls' && first.length > 0 && first[0] !== 0x15 && first[0] !== 0x16)
    return kindOfBytes(first);
  if (stage === 'tls' && noTls.test(code)) return 'not-tls';
  if (foreignKey.test(code)) return 'foreign-key';
  // Node's own errors for a connection that is closed prematurely.
  if (code === 'ECONNRESET' && error.syscall === undefined) return 'closed';
  return byCode[code] ?? 'other';
}

/** The texts for kinds that Node and OpenSSL describe in their own terms; all but the first one are Go's. */
const texts: Partial<Record<Kind, string>> = {
  'foreign-key': 'the signature of its TLS handshake does not match the key of its certificate',
  closed: 'EOF',
  'plain-http': 'http: server gave HTTP response to HTTPS client',
  'not-tls': 'tls: first record does not look like a TLS handshake',
};

/** Converts an error to a failure of the peer. Throws {@link NoConnection} for one not about the peer. */
export function failureOf(error: unknown, context: FailureContext): ConnectionFailure {
  if (error instanceof Failed) return error.failure;
  if (error instanceof NoConnection) throw error;
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const known = first as NodeJS.ErrnoException & { readonly reason?: string };
  const kind = kindOf(known, context);
  if (kind === undefined) throw new NoConnection(known);
  const alert = kind === 'alert' ? alertFrom(known, context) : undefined;
  const atConnect = known.name === 'ForwardError' && kind !== 'reset';
  return {
    stage: atConnect ? 'connect' : context.stage,
    kind,
    ...(alert === undefined ? {} : { alert }),
    ...(alert !== undefined && context.first[0] === 0x16 ? { greeted: true } : {}),
    // OpenSSL's message contains addresses and source lines; `reason` is the readable part.
    text: texts[kind] ?? ours[known.code ?? ''] ?? (known.reason ?? known.message).trim(),
    milliseconds: performance.now() - context.started,
  };
}
