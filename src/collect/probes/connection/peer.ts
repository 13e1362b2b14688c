import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import type { ConnectionRoute } from '../../../facts/probes.ts';
import { type ClusterProber, ReadError } from '../../cluster.ts';
import { Failed, failureOf, NoConnection, OutOfTime } from './failure.ts';

/** A server to connect to, and how. */
export interface Peer {
  readonly way: ConnectionRoute;
  /** The name that the TLS handshake sends (SNI). */
  readonly serverName: string;
  /**
   * Opens a new connection, without TLS. Rejects with {@link Failed} (the peer failed), NoConnection or
   * ReadError (nothing is known about the peer), or the signal's reason.
   */
  open(timeout: number, signal: AbortSignal): Promise<Duplex>;
}

/** A port of a Pod, as target of a port-forward or of the API server's proxy. */
export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Milliseconds for the API server and kubelet to open a port-forward, besides the timeout of the call. */
const timeToForward = 10_000;

/** A Pod's port, through a port-forward of its kubelet. */
export const forwardedPeer = (prober: ClusterProber, at: PodPort, serverName: string): Peer => ({
  way: 'port-forward',
  serverName,
  async open(_timeout, signal) {
    const late = AbortSignal.timeout(timeToForward);
    try {
      return await prober.portForward(at.namespace, at.pod, at.port, AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.aborted) throw new NoConnection(new OutOfTime(timeToForward));
      throw error instanceof ReadError ? error : new NoConnection(error);
    }
  },
});

/** An address to which this program connects directly. */
export const directPeer = (host: string, port: number, serverName: string): Peer => ({
  way: 'direct',
  serverName,
  open: (timeout, signal) =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const socket = connect({ host, port, autoSelectFamilyAttemptTimeout: 2500 });
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        socket.off('error', fail);
      };
      const fail = (error: Error): void => {
        settle();
        socket.destroy();
        reject(new Failed(failureOf(error, { stage: 'connect', first: Buffer.alloc(0), started })));
      };
      const stop = (): void => {
        settle();
        socket.destroy();
        reject(signal.reason);
      };
      const timer = setTimeout(() => fail(new OutOfTime(timeout)), timeout);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      socket.on('error', fail);
      socket.once('connect', () => {
        settle();
        // Wrapped in a stream: TLS on the socket itself would hide the first bytes of the peer.
        resolve(Duplex.from({ readable: socket, writable: socket }));
      });
    }),
});
