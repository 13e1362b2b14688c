import { createConnection, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { ClusterProber } from '../../src/collect/cluster.ts';
import { ForwardError } from '../../src/collect/kube/kube-prober.ts';
import { refusedOnLoopback, resetOnLoopback } from '../../src/demo/api-server/port-forward.ts';
import type { DemoApiServer } from '../../src/demo/api-server/server.ts';

/** A connection to a Pod, as at the client of a port-forward: the kubelet reports a reset, and there is no half-close. */
class DirectStream extends Duplex {
  readonly #socket: Socket;
  constructor(socket: Socket, pod: string, port: number) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.on('data', (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNRESET')
        this.destroy(new ForwardError(resetOnLoopback(pod, port, socket.localPort).trim()));
    });
    socket.on('close', () => this.push(null));
  }
  override _read(): void {
    this.#socket.resume();
  }
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, () => done());
  }
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/**
 * The port-forwards of this prober without the API server in between: its TLS, and the WebSocket. Others, which the
 * API server refuses, are those of the prober.
 */
export const directPortForward =
  ({ handle, network }: DemoApiServer, { portForward }: ClusterProber): ClusterProber['portForward'] =>
  async (namespace, name, port, signal) => {
    const url = `/api/v1/namespaces/${namespace}/pods/${name}/portforward?ports=${port}`;
    const { forward } = await handle({ url, upgrade: true });
    if (forward === undefined) return portForward(namespace, name, port, signal);
    const reached = await network.connect(forward.pod, port, 'kubelet');
    if ('port' in reached)
      return new DirectStream(createConnection({ host: '127.0.0.1', port: reached.port }), forward.pod, port);
    const refused = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    const error = new ForwardError(refusedOnLoopback(forward.pod, port).trim());
    setImmediate(() => refused.destroy(error));
    return refused;
  };
