import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { limits } from '../../../basics/limits.ts';
import type { ExchangedResponse } from './exchange.ts';

interface WebSocketRequest {
  /** `https:` or `http:`; the ws library converts the scheme. */
  readonly url: string;
  /** The one subprotocol that is offered. */
  readonly protocol: string;
  readonly headers: OutgoingHttpHeaders;
  readonly agent: Agent;
  /** Ends the request for the WebSocket, but not the open WebSocket. */
  readonly signal: AbortSignal | undefined;
}

/** An open WebSocket, or the HTTP response of a server that refused it. */
export type WebSocketResult = { readonly socket: WebSocket } | { readonly refused: ExchangedResponse };

/** Maximum bytes that are kept of the body of a refusal. */
const largestRefusal = 64 * 1024;

/** Opens a WebSocket. Rejects with Node's error without an HTTP response, and with the signal's reason. */
export function openWebSocket({
  url,
  protocol,
  headers,
  agent,
  signal,
}: WebSocketRequest): Promise<WebSocketResult> {
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
    // Paused, so that data that arrives before the reader is attached is not lost.
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
