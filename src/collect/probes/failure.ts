import { largerThan, limits } from '../../facts/limits.ts';
import type { ConnectionFailure } from '../../facts/probes.ts';
import { alertIn, alertOf } from './tls-alert.ts';

/** A connection that came to nothing, as an error on its way through Node's streams. */
export class Failed extends Error {
  readonly failure: ConnectionFailure;
  /** DER of the certificates that the server sent before the handshake failed. */
  readonly presented: readonly Uint8Array[] | undefined;
  constructor(failure: ConnectionFailure, presented?: readonly Uint8Array[]) {
    super(failure.text);
    this.name = 'Failed';
    this.failure = failure;
    this.presented = presented;
  }
}

/** The way to the peer did not carry: nothing is known about the peer itself. */
export class WayBroken extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'WayBroken';
  }
}

/** Nothing came in time. */
export class OutOfTime extends Error {
  constructor(milliseconds: number) {
    super(`no response within ${milliseconds / 1000} s`);
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

/** Ends that are ours: more came than is taken, and what the API server would do with it nobody knows. */
const ours: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: `its header or trailer section ${largerThan(limits.headers)}`,
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE:
    'its certificates, or another message of its handshake, are larger than the limit of OpenSSL (100 KiB)',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: `a message of the port-forward ${largerThan(limits.frame)}`,
};

/** What kubelet passes on from the container runtime, which dials inside the Pod's network namespace. */
const ofRuntime: readonly (readonly [RegExp, Kind])[] = [
  [/connection refused/i, 'refused'],
  [/connection reset by peer|broken pipe/i, 'reset'],
  [/i\/o timeout|connection timed out|deadline exceeded/i, 'timed-out'],
  [/no route to host|network is unreachable/i, 'unreachable'],
];

/** What the runtime met at the port; undefined where its words are about something else than the port. */
const kindOfForward = (text: string): Kind | undefined =>
  ofRuntime.find(([pattern]) => pattern.test(text))?.[1];

/** Bytes that came before the handshake failed, as Go tells them: tls.RecordHeaderError, net/http transport.go. */
const kindOfBytes = (first: Buffer): Kind =>
  first.subarray(0, 5).toString('latin1') === 'HTTP/' ? 'plain-http' : 'not-tls';

const noTls = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|RECORD_LAYER_FAILURE/;

/** How far a connection had come when it failed. */
export interface FailureContext {
  readonly stage: ConnectionFailure['stage'];
  /** Beginning of what the peer sent, before TLS took it. */
  readonly first: Buffer;
  /** performance.now() at the start of the connection. */
  readonly started: number;
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
  // Node's own errors for an end in the middle of something.
  if (code === 'ECONNRESET' && error.syscall === undefined) return 'closed';
  return byCode[code] ?? 'other';
}

/** What an error says about the peer. Throws {@link WayBroken} where it says nothing about it. */
export function failureOf(error: unknown, context: FailureContext): ConnectionFailure {
  if (error instanceof Failed) return error.failure;
  if (error instanceof WayBroken) throw error;
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const known = first as NodeJS.ErrnoException & { readonly reason?: string };
  const kind = kindOf(known, context);
  if (kind === undefined) throw new WayBroken(known);
  const alert = kind === 'alert' ? alertFrom(known, context) : undefined;
  const atConnect = known.name === 'ForwardError' && kind !== 'reset';
  return {
    stage: atConnect ? 'connect' : context.stage,
    kind,
    ...(alert === undefined ? {} : { alert }),
    ...(alert !== undefined && context.first[0] === 0x16 ? { greeted: true } : {}),
    // OpenSSL's message holds addresses and its own source lines; `reason` is the sentence in it.
    text: ours[known.code ?? ''] ?? (known.reason ?? known.message).trim(),
    milliseconds: performance.now() - context.started,
  };
}
