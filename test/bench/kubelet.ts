// A process that accepts port-forwards as a kubelet, and is the webhook server of every Pod.
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls';
import { type WebSocket, WebSocketServer } from 'ws';
import { material, nameOf } from './certificate-load.ts';

const contexts = new Map<string, SecureContext>();

/** The serving certificate for the name that a client sends: `backend-12.ns-12.svc`. */
function contextOf(host: string): SecureContext {
  const index = Number(/^backend-(\d+)\./.exec(host)?.[1]);
  const { cert, key } = material(index, host);
  const made = contexts.get(host) ?? createSecureContext({ cert, key });
  contexts.set(host, made);
  return made;
}

const framed = (channel: number, content: Uint8Array): Buffer => Buffer.concat([Buffer.of(channel), content]);

/** One port-forward: channel 0 is the connection, channel 1 its errors; each begins with the port. */
function forward(opened: WebSocket, port: number): void {
  const number = Buffer.alloc(2);
  number.writeUInt16LE(8443);
  for (const channel of [0, 1]) opened.send(framed(channel, number));
  const target: Socket = connect(port, '127.0.0.1');
  target.on('data', (chunk) => opened.send(framed(0, chunk)));
  target.on('close', () => opened.close(1000));
  target.on('error', () => opened.terminate());
  opened.on('message', (message) => target.write((message as Buffer).subarray(1)));
  opened.on('close', () => target.destroy());
  opened.on('error', () => target.destroy());
}

const listening = (server: { listen(port: number, host: string, done: () => void): unknown }) =>
  new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

const webhooks = createTlsServer({
  SNICallback: (host, done) => done(null, contextOf(host)),
});
webhooks.on('tlsClientError', () => {});
await listening(webhooks);
const { port } = webhooks.address() as AddressInfo;

const { cert, key } = material(0, nameOf(0));
const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => 'v4.channel.k8s.io' });
const kubelet = createServer({ cert, key });
kubelet.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (opened) => forward(opened, port)),
);
await listening(kubelet);
process.send?.((kubelet.address() as AddressInfo).port);
process.on('disconnect', () => process.exit());
