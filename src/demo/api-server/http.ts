import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { ApiRequest } from './api-request.ts';
import type { ApiAnswer } from './status.ts';

/** Responses of at least this many bytes are compressed (endpoints/handlers/responsewriters/writers.go). */
const gzipThreshold = 128 * 1024;

const headersOf = ({ contentType, headers }: ApiAnswer): Record<string, string> => ({
  ...(contentType === '' ? {} : { 'content-type': contentType }),
  'cache-control': 'no-cache, private',
  ...headers,
});

/** Converts a Node request. */
export const requestFrom = (
  { headers, method = 'GET', url = '/' }: IncomingMessage,
  body: string,
  signal: AbortSignal,
): ApiRequest => ({
  ...{ method, url, body, signal },
  accept: headers.accept ?? '',
  contentType: headers['content-type'] ?? '',
  upgrade: headers.upgrade?.toLowerCase() === 'websocket',
  token: /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1],
  as: headers['impersonate-user']?.toString(),
  host: headers.host ?? '',
});

/**
 * Writes a response to the client: compressed if the client accepts gzip, or as a stream until `gone` aborts.
 */
export async function send(
  response: ServerResponse,
  incoming: IncomingMessage,
  given: ApiAnswer,
  gone: AbortSignal,
): Promise<void> {
  if (given.stream !== undefined) {
    response.writeHead(given.status, headersOf(given)).flushHeaders();
    await given.stream((text) => response.write(text), gone);
    response.end();
    return;
  }
  const body = Buffer.from(given.body);
  const headers = headersOf(given);
  const accepts = /\bgzip\b/.test(String(incoming.headers['accept-encoding'] ?? ''));
  if (!accepts || body.length < gzipThreshold || given.status !== 200) {
    response.writeHead(given.status, { ...headers, 'content-length': body.length }).end(body);
    return;
  }
  const packed = gzipSync(body, { level: 1 });
  response
    .writeHead(given.status, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
    .end(packed);
}

/** Responds to a rejected WebSocket upgrade. */
export function refuseUpgrade(connection: Duplex, given: ApiAnswer): void {
  const headers = { ...headersOf(given), 'content-length': String(Buffer.byteLength(given.body)) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const first = `HTTP/1.1 ${given.status} ${STATUS_CODES[given.status]}\r\nconnection: close\r\n`;
  connection.end(`${first}${lines.join('')}\r\n${given.body}`);
}
