import type { Callout } from '../../facts/callout.ts';
import type { ConnectionFailure } from '../../facts/probes.ts';
import { callSentence } from '../sentences/call-sentence.ts';

/** Timeouts in seconds: of Go's TLS handshake (client-go/transport/cache.go), and the maximum of a call. */
const handshakeSeconds = 10;
const callSeconds = 30;

/**
 * The error of Go for a call without a response: the timeout of the callout, unless that of the handshake is
 * shorter. If both are equal they race, and the error is not certain.
 */
export function timeoutText(timeoutSeconds: number, stage: ConnectionFailure['stage']): string | undefined {
  if (stage === 'tls' && timeoutSeconds === handshakeSeconds) return undefined;
  if (stage === 'tls' && timeoutSeconds > handshakeSeconds) return 'net/http: TLS handshake timeout';
  return timeoutSeconds < callSeconds ? 'context deadline exceeded' : undefined;
}

/**
 * The error of Go after `Post "…": ` for a call that fails as a probe did; undefined if it contains data that
 * a probe does not have, such as the API server's own port.
 *
 * @param address `ip:port` that the API server connects to.
 */
export function connectionErrorText(
  failure: Pick<ConnectionFailure, 'kind' | 'stage' | 'alert'>,
  timeoutSeconds: number,
  address: string | undefined,
): string | undefined {
  switch (failure.kind) {
    case 'refused':
      return address === undefined ? undefined : `dial tcp ${address}: connect: connection refused`;
    case 'timed-out':
      return timeoutText(timeoutSeconds, failure.stage);
    case 'closed':
      return 'EOF';
    case 'plain-http':
      return 'http: server gave HTTP response to HTTPS client';
    case 'not-tls':
      return 'tls: first record does not look like a TLS handshake';
    case 'alert':
      return failure.alert === undefined ? undefined : `remote error: tls: ${failure.alert}`;
    default:
      return undefined;
  }
}

/** An error of Go without the address: `connect: no route to host`. */
export const withoutDialedAddress = (error: string): string => error.replace(/^dial tcp \S+: /, '');

/** The error message of the API server for an error of Go, if that is certain. */
export const sentenceOf = (
  callout: Callout,
  words: string | undefined,
  version?: string,
): { readonly sentence?: string } =>
  words === undefined ? {} : { sentence: callSentence(callout, words, version) };
