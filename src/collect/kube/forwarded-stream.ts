import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

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
export class ForwardedStream extends Duplex {
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
