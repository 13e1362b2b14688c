import { beyondLimit } from '../../../apiserver/connection/predict-call-result.ts';
import { type Callout, calloutId } from '../../../facts/callout.ts';
import { type ConnectionFailure, failureIn, type ProbeConnection } from '../../../facts/probes.ts';
import type { AllowRule, Unread } from '../../../facts/unread.ts';
import type { ProbeRun, TimedPayload } from '../run.ts';
import { connectionUnread, cutOff } from '../unread.ts';
import type { Peer } from './peer.ts';
import { type PeerResult, probePeer } from './probe-peer.ts';

/**
 * Milliseconds: after a shorter timeout, a peer without response is tried again, because a machine on the
 * network path may have been busy.
 */
export const decisiveTimeout = 5_000;

/** True if a step timed out. */
export const hasTimedOut = (connection: ProbeConnection): boolean =>
  failureIn(connection, 'timed-out') !== undefined;

/** True if a step ended in an unknown error, so that the API server's result cannot be predicted. */
export const hasUnknownError = (connection: ProbeConnection): boolean =>
  failureIn(connection, 'other') !== undefined;

const stages: Readonly<Record<ConnectionFailure['stage'], string>> = {
  connect: 'a TCP connection',
  tls: 'a TLS handshake',
  http: 'an HTTP response',
  body: 'an HTTP body',
};

/** Milliseconds: the longest timeout of the webhooks that call this peer. */
export const longestTimeout = (run: ProbeRun, key: string): number =>
  Math.max(...(run.payloads.get(key) ?? []).map(({ timeout }) => timeout));

/**
 * Probes a peer once for all webhooks and APIServices that call it in the same way.
 *
 * @param extent `handshake`: no review is sent.
 */
export function probePeerOnce(
  run: ProbeRun,
  key: string,
  peer: Peer,
  extent: 'whole' | 'handshake' = 'whole',
): Promise<PeerResult> {
  const all = run.payloads.get(key) ?? [];
  const payloads =
    extent === 'whole'
      ? all
      : all.map(({ payload: { callout }, timeout }) => ({ payload: { callout, reviews: [] }, timeout }));
  const timeout = longestTimeout(run, key);
  const options = { timeout, version: run.facts.version, signal: run.signal, kept: run.kept };
  const probe = (some: readonly TimedPayload[]): Promise<PeerResult> =>
    run.slot(() =>
      probePeer(
        peer,
        some.map(({ payload }) => payload),
        options,
      ),
    );
  return run.connections(`${peer.way} ${extent} ${key}`, async () => {
    const first = await probe(payloads);
    if (timeout >= decisiveTimeout || !('connections' in first)) return first;
    const { connections } = first;
    const silent = payloads.filter(({ payload }) => {
      const connection = connections.get(payload.callout);
      const late = connection && failureIn(connection, 'timed-out');
      return late !== undefined && late.milliseconds < decisiveTimeout;
    });
    const again = silent.length === 0 ? first : await probe(silent);
    return 'connections' in again ? { connections: new Map([...connections, ...again.connections]) } : first;
  });
}

/**
 * The result for one webhook or APIService, and what is missing of it.
 *
 * @param what the connection, for messages; `asks`: a review should have been sent; `allow`: the rule that
 * permits it.
 */
export function resultFor(
  run: ProbeRun,
  outcome: PeerResult | Unread,
  callout: Callout,
  { what, asks, allow }: { readonly what: string; readonly asks: boolean; readonly allow: AllowRule },
): { readonly dialogues: readonly ProbeConnection[]; readonly notTried: readonly Unread[] } {
  if ('broken' in outcome) {
    const unread = connectionUnread(what, outcome.broken, allow);
    return { dialogues: [], notTried: [unread] };
  }
  if (!('connections' in outcome)) return { dialogues: [], notTried: [outcome] };
  const connection = outcome.connections.get(calloutId(callout));
  if (connection === undefined) return { dialogues: [], notTried: [cutOff(what, run.prober.ended)] };
  if (connection.cutShort)
    return { dialogues: [connection], notTried: [cutOff(`a review by ${what}`, run.prober.ended)] };
  const detail = beyondLimit(connection, callout, run.facts.version);
  if (detail !== undefined)
    return { dialogues: [connection], notTried: [{ what: `a review by ${what}`, why: 'too-large', detail }] };
  const nameless = failureIn(connection, 'other');
  if (nameless !== undefined) {
    const { stage, text } = nameless;
    const unread: Unread = { what: `${stages[stage]} by ${what}`, why: 'unreachable', detail: text };
    return { dialogues: [connection], notTried: [unread] };
  }
  const lost = asks && connection.reviews.length === 0 && connection.failure === undefined;
  const way: Unread = {
    what: `a review by ${what}`,
    why: 'unreachable',
    detail: 'the connection to it was not made',
  };
  return { dialogues: [connection], notTried: lost ? [way] : [] };
}
