import * as http from 'node:http';
import type { Duplex } from 'node:stream';
import { defined } from '../../../basics/collections.ts';
import type { Handshake, ProbeConnection, ReviewExchange } from '../../../facts/probes.ts';
import { ReadError } from '../../cluster.ts';
import { slots } from '../../slots.ts';
import { Failed, NoConnection } from './failure.ts';
import { type TlsConnection, tlsHandshake } from './handshake.ts';
import type { Peer } from './peer.ts';
import { type BodyBytes, postUntilAnswered, type ReviewToPost } from './post-review.ts';

/** What is sent over a connection for one webhook or APIService. */
export interface ProbePayload {
  /** The id of the webhook or APIService. */
  readonly callout: string;
  /** Sent one after the other; none: only the handshake. */
  readonly reviews: readonly PlannedReview[];
}

/** A review that is not sent yet. */
export interface PlannedReview {
  readonly about: Omit<ReviewExchange, 'answer' | 'failure' | 'milliseconds'>;
  readonly post: ReviewToPost;
}

/** The result for each webhook or APIService, or the reason why no connection to the peer was possible. */
export type PeerResult =
  | { readonly connections: ReadonlyMap<string, ProbeConnection> }
  | { readonly broken: ReadError | NoConnection };

/** Options of the connections to one peer. */
export interface PeerOptions {
  /** Milliseconds: the longest timeout of the webhooks. */
  readonly timeout: number;
  readonly version: string | undefined;
  readonly signal: AbortSignal;
  /** Shared by all peers of the run: the bytes that are kept. */
  readonly kept?: BodyBytes;
}

/** The number of parallel reviews per Pod; one that takes longer (milliseconds) no longer delays the next. */
const atOnce = 2;
const patience = 250;

/** An agent that uses an open connection first, and opens further ones in the same way. */
function agentOver(first: TlsConnection, again: () => Promise<TlsConnection>): http.Agent {
  const agent = new http.Agent({ keepAlive: true, scheduling: 'lifo' });
  let unused: TlsConnection | undefined = first;
  agent.createConnection = (_options, callback) => {
    if (unused !== undefined) {
      const { socket } = unused;
      unused = undefined;
      return socket as Duplex;
    }
    again().then(
      ({ socket }) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
  const destroy = agent.destroy.bind(agent);
  agent.destroy = () => {
    unused?.socket.destroy();
    destroy();
  };
  return agent;
}

/**
 * Reads the certificates if OpenSSL rejected them during the handshake: the API server parses them
 * differently. TLS 1.3 encrypts certificates, so the handshake is repeated with TLS 1.2; undefined if the
 * server does not support it.
 */
async function handshakeOf(
  { failure, presented }: Failed,
  inPlainText: () => Promise<TlsConnection>,
): Promise<Handshake | undefined> {
  if (failure.kind !== 'other' || failure.stage !== 'tls') return undefined;
  const shown =
    presented ??
    (await inPlainText().then(
      ({ socket, handshake }) => {
        socket.destroy();
        return handshake.presented;
      },
      (error: unknown) => (error instanceof Failed ? error.presented : undefined),
    ));
  if (shown === undefined) return undefined;
  const protocol = presented === undefined ? 'TLSv1.3' : 'TLSv1.2';
  return { protocol, cipher: '', presented: shown, milliseconds: failure.milliseconds };
}

/**
 * Connects to one peer for all webhooks that call it in the same way: one handshake, then the reviews of each
 * webhook, over keep-alive connections. Throws the signal's reason if it ends before the handshake.
 */
export async function probePeer(
  peer: Peer,
  payloads: readonly ProbePayload[],
  options: PeerOptions,
): Promise<PeerResult> {
  const { timeout, version, signal } = options;
  const only = payloads.every(({ reviews }) => reviews.length === 0);
  const secured = async (plain = false): Promise<TlsConnection> => {
    const started = performance.now();
    const stream = await peer.open(timeout, signal);
    const { serverName } = peer;
    return await tlsHandshake(stream, { serverName, timeout, version, only, plain, signal, started });
  };
  const forEach = (connection: ProbeConnection): PeerResult => ({
    connections: new Map(payloads.map(({ callout }) => [callout, connection])),
  });
  let first: TlsConnection;
  try {
    first = await secured();
  } catch (error) {
    if (error instanceof Failed) {
      const handshake = await handshakeOf(error, () => secured(true));
      return forEach({ way: peer.way, ...defined({ handshake }), reviews: [], failure: error.failure });
    }
    if (error instanceof ReadError || error instanceof NoConnection) return { broken: error };
    throw error;
  }
  const { handshake, afterwards } = first;
  const base = { way: peer.way, handshake };
  const silent: ProbeConnection = { ...base, reviews: [], ...(afterwards ? { failure: afterwards } : {}) };
  const agent = agentOver(first, secured);
  const slot = slots(atOnce, patience);
  const post = async ({ about, post: content }: PlannedReview): Promise<readonly ReviewExchange[]> => {
    try {
      return [{ ...about, ...(await slot(() => postUntilAnswered(agent, content, signal, options.kept))) }];
    } catch (error) {
      // The handshake is valid, even if the connection for this review failed.
      if (signal.aborted || error instanceof ReadError || error instanceof NoConnection) return [];
      throw error;
    }
  };
  try {
    const connections = await Promise.all(
      payloads.map(async ({ callout, reviews }): Promise<readonly [string, ProbeConnection]> => {
        if (reviews.length === 0) return [callout, silent];
        const turn = slots(1, patience);
        const posted = (await Promise.all(reviews.map((review) => turn(() => post(review))))).flat();
        const cutShort = signal.aborted && posted.length < reviews.length;
        return [callout, { ...base, reviews: posted, ...(cutShort ? { cutShort } : {}) }];
      }),
    );
    return { connections: new Map(connections) };
  } finally {
    agent.destroy();
  }
}
