import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The kubelet, or the API server on the way to it, ended the stream and said why. */
export class ForwardError extends Error {
  constructor(text: string) {
    super(text);
    this.name = 'ForwardError';
  }
}

/** The WebSocket broke: neither the Pod nor the kubelet said anything. */
export class ForwardBroken extends Error {
  constructor(code: number) {
    super(`the port-forward ended before the connection did (WebSocket code ${code})`);
    this.name = 'ForwardBroken';
  }
}

const dataChannel = 0;
const errorChannel = 1;
/** Bytes of one message: kubelet takes a message into memory whole. */
const messageSize = 64 * 1024;
/** What is kept of an error text, in bytes. */
const longestError = 4096;
/** WebSocket close codes of an orderly end: normal, going away, no code told. */
const orderly: ReadonlySet<number> = new Set([1000, 1001, 1005]);

const framed = (chunk: Buffer): Buffer => Buffer.concat([Buffer.of(dataChannel), chunk]);

/**
 * A TCP connection to a Pod's port over an open WebSocket of subprotocol `v4.channel.k8s.io`: channel 0 is data,
 * channel 1 an error text, and the first message of each names the port (cri-streaming portforward/websocket.go).
 * Slow readers hold up the sender, and the other way round. The protocol cannot tell the Pod that no more is written:
 * after `end()` its answer can still be read, and whoever is done destroys the stream.
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
