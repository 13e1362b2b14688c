import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';

/** An API server that only supports port-forwards over `v4.channel.k8s.io`. */
export interface PortForwardServer {
  readonly url: string;
  /** Requests for an upgrade, in order. */
  readonly requests: readonly IncomingMessage[];
  /** WebSockets that are open now. */
  readonly open: ReadonlySet<WebSocket>;
  /** Bytes that it has read from targets. */
  read(): number;
  stop(): Promise<void>;
}

export type Behaviour =
  | { readonly kind: 'forward' }
  | { readonly kind: 'refuse'; readonly status: number; readonly body: object }
  | { readonly kind: 'deaf' }
  | { readonly kind: 'break' };

const framed = (channel: number, content: Uint8Array): Buffer => Buffer.concat([Buffer.of(channel), content]);

/** Forwards to 127.0.0.1, at the requested port, as a kubelet does. */
export async function portForwardServer(behaviour: Behaviour): Promise<PortForwardServer> {
  const server = createServer((_request, response) => response.writeHead(400).end());
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'v4.channel.k8s.io' });
  const requests: IncomingMessage[] = [];
  const connections = new Set<Duplex>();
  let read = 0;
  server.on('upgrade', (request, socket, head) => {
    requests.push(request);
    connections.add(socket);
    socket.on('error', () => undefined);
    if (behaviour.kind === 'deaf') return;
    if (behaviour.kind === 'refuse') {
      const body = JSON.stringify(behaviour.body);
      socket.end(
        `HTTP/1.1 ${behaviour.status} No\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const port = Number(new URL(request.url ?? '', 'http://x').searchParams.get('ports'));
      const number = Buffer.alloc(2);
      number.writeUInt16LE(port);
      for (const channel of [0, 1]) opened.send(framed(channel, number));
      if (behaviour.kind === 'break') {
        setTimeout(() => opened.terminate(), 20);
        return;
      }
      const target = connect(port, '127.0.0.1');
      target.on('data', (chunk) => {
        read += chunk.length;
        target.pause();
        opened.send(framed(0, chunk), () => target.resume());
      });
      target.on('error', (error) =>
        opened.send(framed(1, Buffer.from(`error forwarding port: ${error.message}`))),
      );
      target.on('close', () => opened.close(1000));
      opened.on('message', (message) => {
        const content = (message as Buffer).subarray(1);
        if (!target.write(content)) {
          opened.pause();
          target.once('drain', () => opened.resume());
        }
      });
      opened.on('close', () => target.destroy());
      opened.on('error', () => target.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    open: sockets.clients,
    read: () => read,
    stop: async () => {
      for (const opened of sockets.clients) opened.terminate();
      sockets.close();
      for (const connection of connections) connection.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
