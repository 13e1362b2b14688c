import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import type { ConnectionRoute } from '../../facts/probes.ts';
import type { ClusterProber } from '../cluster-prober.ts';
import { ReadError } from '../cluster-reader.ts';
import { Failed, failureOf, OutOfTime, WayBroken } from './failure.ts';

/** Somebody to connect to, and how. */
export interface Peer {
  readonly way: ConnectionRoute;
  /** The name that TLS asks for. */
  readonly serverName: string;
  /**
   * A new connection, without TLS. Rejects with {@link Failed} (what the peer did), WayBroken or ReadError (nothing is
   * known of the peer), or the signal's reason.
   */
  open(timeout: number, signal: AbortSignal): Promise<Duplex>;
}

export interface PodPort {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
}

/** Milliseconds that the API server and the kubelet get to make a port-forward, on top of the call's own time. */
const timeToForward = 10_000;

/** A Pod's port, through its kubelet. */
export const forwardedPeer = (prober: ClusterProber, at: PodPort, serverName: string): Peer => ({
  way: 'port-forward',
  serverName,
  async open(_timeout, signal) {
    const late = AbortSignal.timeout(timeToForward);
    try {
      return await prober.portForward(at.namespace, at.pod, at.port, AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (late.aborted) throw new WayBroken(new OutOfTime(timeToForward));
      throw error instanceof ReadError ? error : new WayBroken(error);
    }
  },
});

/** An address that is reached from here. */
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
        // As a stream of its own: TLS over a bare socket would hide what the peer sends first.
        resolve(Duplex.from({ readable: socket, writable: socket }));
      });
    }),
});
