import type { IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { PodNetwork } from '../network/pod-network.ts';
import { forwardingError, refusedOnLoopback } from './port-forward.ts';
import type { PortForward } from './status.ts';

/** The channels of ports over one WebSocket (kubelet pkg/cri/streaming/portforward/websocket.go). */
const protocol = 'v4.channel.k8s.io';

const portBytes = (port: number): Buffer => Buffer.from([port & 0xff, port >> 8]);

/** One port: channel 2i carries its data, channel 2i+1 what went wrong. Resolves when its connection has ended. */
async function forwardPort(
  socket: WebSocket,
  { pod, port, index }: { readonly pod: string; readonly port: number; readonly index: number },
  network: PodNetwork,
): Promise<void> {
  const send = (channel: number, content: Buffer): Promise<void> =>
    new Promise((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve();
      socket.send(Buffer.concat([Buffer.from([channel]), content]), () => resolve());
    });
  const [data, error] = [2 * index, 2 * index + 1];
  // A client that is quick speaks before the ports are named.
  const early: Buffer[] = [];
  const keep = (content: Buffer) => early.push(content);
  socket.on('message', keep);
  await send(data, portBytes(port));
  await send(error, portBytes(port));
  const reached = await network.connect(pod, port, 'kubelet');
  if ('failed' in reached) return send(error, Buffer.from(refusedOnLoopback(pod, port)));
  await new Promise<void>((resolve) => {
    const connection = createConnection({ host: '127.0.0.1', port: reached.port });
    const take = (message: Buffer): void => {
      if (message[0] !== data || connection.write(message.subarray(1))) return;
      socket.pause();
      connection.once('drain', () => socket.resume());
    };
    socket.off('message', keep);
    for (const message of early) take(message);
    socket.on('message', take);
    socket.once('close', () => connection.destroy());
    connection.on('data', (chunk: Buffer) => {
      connection.pause();
      send(data, chunk).then(() => connection.resume());
    });
    let ended: Promise<void> = Promise.resolve();
    connection.on('error', (failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'ECONNRESET') return;
      const words = `read tcp4 127.0.0.1:${connection.localPort ?? 0}->127.0.0.1:${port}: read: connection reset by peer`;
      ended = send(error, Buffer.from(forwardingError(pod, port, words)));
    });
    connection.once('close', () => {
      socket.resume();
      socket.off('message', take);
      ended.then(resolve);
    });
  });
}

/** Takes the connection over as a WebSocket and forwards until all its ports have ended. */
export async function serveChannels(
  incoming: IncomingMessage,
  connection: Duplex,
  { pod, ports }: PortForward,
  network: PodNetwork,
): Promise<void> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has(protocol) && protocol,
  });
  server.handleUpgrade(incoming, connection, Buffer.alloc(0), async (socket) => {
    socket.on('error', () => {});
    await Promise.all(ports.map((port, index) => forwardPort(socket, { pod, port, index }, network)));
    socket.close(1000);
  });
}
