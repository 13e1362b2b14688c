import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { limits } from '../../facts/limits.ts';
import type { ExchangedResponse } from './exchange.ts';

export interface WebSocketRequest {
  /** `https:` or `http:`; ws spells it its own way. */
  readonly url: string;
  /** The one subprotocol that is offered. */
  readonly protocol: string;
  readonly headers: OutgoingHttpHeaders;
  readonly agent: Agent;
  /** Ends the request for the WebSocket, not the open one. */
  readonly signal: AbortSignal | undefined;
}

/** An open WebSocket, or the HTTP answer of a server that refused it. */
export type Opened = { readonly socket: WebSocket } | { readonly refused: ExchangedResponse };

/** Largest message, in bytes: kubelet sends its copy buffer of 32 KiB at a time. */
/** What is kept of a refusal's body, in bytes. */
const largestRefusal = 64 * 1024;

/** Rejects with Node's error where there is no HTTP answer at all, and with the signal's reason. */
export function openWebSocket({ url, protocol, headers, agent, signal }: WebSocketRequest): Promise<Opened> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const socket = new WebSocket(url, [protocol], {
      headers: headers as Record<string, string>,
      agent,
      perMessageDeflate: false,
      skipUTF8Validation: true,
      maxPayload: limits.frame,
    });
    const stop = (): void => {
      reject(signal?.reason);
      socket.terminate();
    };
    const settled = (): void => signal?.removeEventListener('abort', stop);
    signal?.addEventListener('abort', stop, { once: true });
    // Paused: what comes before its reader listens must not be lost.
    socket.once('open', () => {
      settled();
      socket.pause();
      resolve({ socket });
    });
    socket.once('unexpected-response', (request, response) => {
      beginningOf(response).then((refused) => {
        settled();
        resolve({ refused });
        request.destroy();
        socket.terminate();
      }, reject);
    });
    socket.on('error', (error) => {
      settled();
      reject(error);
    });
  });
}

async function beginningOf(response: IncomingMessage): Promise<ExchangedResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= largestRefusal) break;
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks), bytes };
}
