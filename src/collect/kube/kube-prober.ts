import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { HttpResponse } from '../../facts/probes.ts';
import { pathOf } from '../../facts/resource.ts';
import { type ClusterProber, dryRunQuery, plainHeaders } from '../cluster.ts';
import type { ExchangedResponse } from './http/exchange.ts';
import type { Transport } from './http/transport.ts';

/** The kubelet, or the API server in front of it, ended the stream with an error text. */
export class ForwardError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'ForwardError';
  }
}

/** The WebSocket was closed without an error text from the Pod or the kubelet. */
export class ForwardBroken extends Error {
  constructor(code: number) {
    super(`the port-forward ended before the connection did (WebSocket code ${code})`);
    this.name = 'ForwardBroken';
  }
}

const dataChannel = 0;
const errorChannel = 1;
/** Maximum bytes per message: the kubelet buffers complete messages in memory. */
const messageSize = 64 * 1024;
/** Maximum bytes that are kept of an error text. */
const longestError = 4096;
/** WebSocket close codes of a normal end: normal, going away, no code. */
const orderly: ReadonlySet<number> = new Set([1000, 1001, 1005]);

const framed = (chunk: Buffer): Buffer => Buffer.concat([Buffer.of(dataChannel), chunk]);

/**
 * A TCP connection to a Pod's port over an open WebSocket of subprotocol `v4.channel.k8s.io`: channel 0 is
 * data, channel 1 an error text, and the first message of each contains the port (cri-streaming
 * portforward/websocket.go). Backpressure applies in both directions. The protocol has no half-close: after
 * `end()` the Pod's response can still be read, and the caller must destroy the stream when it is done.
 */
class ForwardedStream extends Duplex {
  readonly #socket: WebSocket;
  readonly #named = new Set<number>();

  constructor(socket: WebSocket) {
    super({ allowHalfOpen: true });
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (message) => this.#receive(message as Buffer));
    socket.on('close', (code) => {
      if (orderly.has(code)) this.push(null);
      else this.destroy(new ForwardBroken(code));
    });
    socket.on('error', (error) => this.destroy(error));
    socket.resume();
  }

  #receive(message: Buffer): void {
    const channel = message[0] ?? -1;
    if (!this.#named.has(channel)) {
      this.#named.add(channel);
      return;
    }
    const content = message.subarray(1);
    if (channel === errorChannel && content.length > 0) {
      this.destroy(new ForwardError(content.subarray(0, longestError).toString('utf8').trim()));
    }
    if (channel === dataChannel && content.length > 0 && !this.push(content)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const part = chunk.subarray(0, messageSize);
    this.#socket.send(framed(part), (error) => {
      if (error || chunk.length <= messageSize) done(error);
      else this._write(chunk.subarray(messageSize), _encoding, done);
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.terminate();
    done(error);
  }
}

/** The port of a listening socket in a Linux socket table: proc_pid_net(5), state 0A, in hexadecimal. */
function listeningPort(line: string): number | undefined {
  const [, local = '', , state] = line.trim().split(/\s+/);
  return state === '0A' ? Number.parseInt(local.split(':')[1] ?? '', 16) : undefined;
}

/**
 * True if this program is the only listener in its Pod's network namespace. False if anything else listens
 * there (sidecars of a service mesh accept connections for other addresses), if the Pod uses the network of
 * its node, or if this is unknown.
 *
 * @param ownPort the port at which this program itself listens.
 */
export function isAloneInPod(folder = '/proc/net', ownPort?: number): boolean {
  try {
    const [tcp = '', tcp6 = ''] = ['tcp', 'tcp6'].map((name) => {
      try {
        return readFileSync(`${folder}/${name}`, 'utf8');
      } catch (error) {
        // This machine has no IPv6.
        if (name === 'tcp6' && (error as NodeJS.ErrnoException).code === 'ENOENT') return '';
        throw error;
      }
    });
    const ports = [...tcp.split('\n'), ...tcp6.split('\n')].map(listeningPort);
    return tcp !== '' && ports.every((port) => port === undefined || port === ownPort);
  } catch {
    return false;
  }
}

const asHttpAnswer = ({ status, headers, body }: ExchangedResponse): HttpResponse => ({
  status,
  headers: plainHeaders(headers),
  body,
});

const podPortForward = { group: '', version: 'v1', plural: 'pods/portforward' };

/**
 * Sends probes through an API server, with the credentials and the connection of `transport`.
 *
 * @param fromPod this program runs in a Pod of the cluster.
 * @param ownPort the port at which this program listens in that Pod.
 */
export function kubeProber(transport: Transport, fromPod = false, ownPort?: number): ClusterProber {
  return {
    amongPods: fromPod && isAloneInPod(undefined, ownPort),
    async portForward(namespace, pod, port, signal) {
      const path = pathOf(podPortForward, namespace, pod);
      const query = { ports: port };
      return new ForwardedStream(
        await transport.upgrade({ path, query, protocol: 'v4.channel.k8s.io', signal }),
      );
    },
    get: async (path, signal, accept) =>
      asHttpAnswer(await transport.aside({ method: 'GET', path, accept, signal })),
    async dryRun({ verb, path, object }, signal) {
      const request =
        verb === 'patch'
          ? ({ method: 'PATCH', body: object ?? {}, contentType: 'application/merge-patch+json' } as const)
          : ({ method: verb === 'create' ? 'POST' : 'PUT', body: object } as const);
      return asHttpAnswer(await transport.aside({ ...request, path, query: dryRunQuery, signal }));
    },
    clock: transport.clock,
    ended: transport.ended,
  };
}
