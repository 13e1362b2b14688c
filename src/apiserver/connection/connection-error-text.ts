import type { Callout } from '../../facts/callout.ts';
import type { ConnectionFailure } from '../../facts/probes.ts';
import { callSentence } from '../sentences/call-sentence.ts';

/** Seconds that Go waits for a handshake (client-go/transport/cache.go), and for a whole call of any kind. */
const handshakeSeconds = 10;
const callSeconds = 30;

/**
 * How Go ends a call that nobody answers: by the callout's own deadline, unless the one for the handshake is shorter.
 * Two that end at the same moment race, and then the words are not certain.
 */
export function timeoutText(timeoutSeconds: number, stage: ConnectionFailure['stage']): string | undefined {
  if (stage === 'tls' && timeoutSeconds === handshakeSeconds) return undefined;
  if (stage === 'tls' && timeoutSeconds > handshakeSeconds) return 'net/http: TLS handshake timeout';
  return timeoutSeconds < callSeconds ? 'context deadline exceeded' : undefined;
}

/**
 * The words after `Post "…": ` with which Go ends a call that meets what a probe met; undefined where they hold something
 * that a probe cannot know, such as the API server's own port.
 *
 * @param address `ip:port` that the API server dials.
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

/** The API server's sentence for those words, where they are certain. */
export const sentenceOf = (
  callout: Callout,
  words: string | undefined,
  version?: string,
): { readonly sentence?: string } =>
  words === undefined ? {} : { sentence: callSentence(callout, words, version) };
