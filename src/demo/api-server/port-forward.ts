import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { hasSandbox } from '../cluster/endpoint-slice-controller.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import type { ApiRequest, ApiState, ResourcePath } from './api-request.ts';
import { podNamed, uidOf } from './object-store.ts';
import {
  type ApiAnswer,
  badRequest,
  methodNotAllowed,
  objectNotFound,
  type PortForward,
  textAnswer,
} from './status.ts';

const unparsable = (text: string, why: string): ApiAnswer =>
  badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);

function portsIn(query: URLSearchParams): readonly number[] | ApiAnswer {
  const texts = query.getAll('ports');
  const ports: number[] = [];
  for (const text of texts.flatMap((one) => one.split(','))) {
    if (!/^\d+$/.test(text)) return unparsable(text, 'invalid syntax');
    if (Number(text) > 65535) return unparsable(text, 'value out of range');
    ports.push(Number(text));
  }
  // The kubelet rejects this request, not the API server.
  if (texts.length === 0) return textAnswer(400, 'query parameter "port" is required');
  const zero = ports.find((port) => port === 0);
  return zero === undefined ? ports : textAnswer(400, `port "${zero}" must be > 0`);
}

/** Response to a GET of pods/portforward: an error of API server or kubelet, or a 101 with the ports. */
export function portForwardAnswer(requested: ResourcePath, request: ApiRequest, state: ApiState): ApiAnswer {
  if (request.method !== 'GET' && request.method !== 'POST') return methodNotAllowed();
  const { name = '', namespace = '' } = requested;
  const pod = podNamed(state.store, namespace, name);
  if (pod === undefined) return objectNotFound({ group: '', plural: 'pods' }, name);
  const ports = portsIn(new URL(request.url, 'https://demo').searchParams);
  if ('status' in ports && ports.contentType === 'application/json') return ports;
  if (pod.spec.nodeName === undefined) return badRequest(`pod ${name} does not have a host assigned`);
  if (!request.upgrade) return badRequest('Upgrade request required');
  if ('status' in ports) return ports;
  if (!hasSandbox(pod)) return textAnswer(500, `pod not found ("${name}_${namespace}")`);
  return {
    ...{ status: 101, contentType: '', body: '' },
    forward: { pod: `${namespace}/${name}`, ports },
  };
}

const sandboxOf = (pod: string): string => createHash('sha256').update(`sandbox ${pod}`).digest('hex');
const inNetns = (pod: string): string =>
  `network namespace "/var/run/netns/cni-${uidOf('netns', undefined, pod)}"`;

/** The message of a kubelet with containerd on the error channel of a port. */
const forwardingError = (pod: string, port: number, cause: string): string =>
  `error forwarding port ${port} to pod ${sandboxOf(pod)}, uid : failed to execute portforward in ${inNetns(pod)}: ${cause}`;

/** The message if nothing listens on the Pod's loopback. */
export const refusedOnLoopback = (pod: string, port: number): string =>
  forwardingError(
    pod,
    port,
    `failed to connect to localhost:${port} inside namespace "${sandboxOf(pod)}", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6: address localhost: no suitable address found `,
  );

/** The message if the program in the Pod resets the connection from this port. */
export const resetOnLoopback = (pod: string, port: number, from = 0): string =>
  forwardingError(
    pod,
    port,
    `read tcp4 127.0.0.1:${from}->127.0.0.1:${port}: read: connection reset by peer`,
  );

/** Subprotocol for channels of ports over one WebSocket (kubelet cri/streaming/portforward/websocket). */
const protocol = 'v4.channel.k8s.io';

const portBytes = (port: number): Buffer => Buffer.from([port & 0xff, port >> 8]);

/** Forwards one port: channel 2i carries data, channel 2i+1 errors. Resolves when it has ended. */
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
  // A fast client sends data before the server has sent the port numbers.
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
      if (failure.code === 'ECONNRESET')
        ended = send(error, Buffer.from(resetOnLoopback(pod, port, connection.localPort)));
    });
    connection.once('close', () => {
      socket.resume();
      socket.off('message', take);
      ended.then(resolve);
    });
  });
}

/** Upgrades the connection to a WebSocket and forwards until all its ports have ended. */
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
