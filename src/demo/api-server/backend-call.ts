import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { HttpResponse } from '../../facts/probes.ts';
import type { PodNetwork } from '../network/pod-network.ts';
import { NotSupported } from './status.ts';

/** crypto/tls alert.go, by number. */
const alerts: Readonly<Record<string, string>> = {
  '40': 'handshake failure',
  '70': 'protocol version not supported',
  '116': 'certificate required',
};

/** The two ends of a connection, in the form of the API server's errors. */
interface Leg {
  /** `address:port` of the backend. */
  readonly to: string;
  /** `address:port` of the caller. */
  readonly from: string;
}

/**
 * Converts a Node error of a TLS connection to Go's message; throws {@link NotSupported}.
 * @param notTls Go's message for a server that does not use TLS, which depends on the client.
 */
function goErrorText(error: NodeJS.ErrnoException, { to, from }: Leg, notTls: string): string {
  const { code = '', message, syscall } = error;
  const alert = alerts[/SSL alert number (\d+)/.exec(message)?.[1] ?? ''];
  if (alert !== undefined) return `remote error: tls: ${alert}`;
  if (/:(wrong version number|packet length too long):/.test(message)) return notTls;
  if (code === 'ECONNRESET')
    return syscall === 'read' ? `read tcp ${from}->${to}: read: connection reset by peer` : 'EOF';
  throw new NotSupported(`${code} ${message}`);
}

/** A request of the API server to a Pod's port. */
export interface BackendRequest {
  readonly scheme: 'http' | 'https';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** TLS server name; empty for none, as with an IP address. */
  readonly serverName: string;
  readonly signal: AbortSignal;
  /** Go's message for a server that does not use TLS, which depends on the client. */
  readonly notTls: string;
  /** Returns Go's error for the server's leaf certificate (DER); undefined if it is valid. */
  readonly verify?: (presented: Uint8Array) => string | undefined;
}

/** A failed connection or response, with Go's message. */
export class CallFailed extends Error {}

/** The address of the API server's node. */
const apiServerAddress = '192.0.2.10';

/** Shared by all calls: creating a context takes as long as a part of the handshake. */
const secureContext = createSecureContext({ minVersion: 'TLSv1.2' });

/** Never resolves; rejects when the client disconnects. */
const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const abort = () => reject(new CallFailed('context canceled'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

/** A port of a Pod. `dialled`: `address:port`, for errors. */
interface DialTarget {
  readonly pod: string;
  readonly port: number;
  readonly dialled: string;
}

/** The port of 127.0.0.1 that stands in for a Pod's port. */
async function dial(network: PodNetwork, { pod, port, dialled }: DialTarget, signal: AbortSignal) {
  const reached = await network.connect(pod, port, 'api-server');
  if ('port' in reached) return reached.port;
  if (reached.failed === 'no response') return forever(signal);
  if (reached.failed === 'not allowed') throw new CallFailed('Address is not allowed');
  throw new CallFailed(`dial tcp ${dialled}: connect: ${reached.failed}`);
}

/** The complete response of a backend. */
async function complete(response: IncomingMessage): Promise<HttpResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: Buffer.concat(chunks),
  };
}

/** Sends a request of the API server to a Pod over a new connection. Throws {@link CallFailed}. */
export async function callBackend(
  network: PodNetwork,
  target: DialTarget,
  call: BackendRequest,
): Promise<HttpResponse> {
  const port = await dial(network, target, call.signal);
  return new Promise((resolve, reject) => {
    let from = apiServerAddress;
    const fail = (error: NodeJS.ErrnoException) => {
      try {
        if (error instanceof CallFailed) throw error;
        if (call.signal.aborted) throw new CallFailed('context canceled');
        reject(new CallFailed(goErrorText(error, { from, to: target.dialled }, call.notTls)));
      } catch (thrown) {
        reject(thrown);
      }
    };
    const options: RequestOptions = {
      ...{ host: '127.0.0.1', port, path: call.path, method: call.method, agent: false },
      ...{ rejectUnauthorized: false, servername: call.serverName, secureContext },
      ...{ ALPNProtocols: ['http/1.1'], signal: call.signal },
      headers: { ...call.headers, 'content-length': Buffer.byteLength(call.body) },
    };
    const outgoing = (call.scheme === 'https' ? httpsRequest : httpRequest)(options, (response) => {
      complete(response).then(resolve, fail);
    });
    outgoing.on('error', fail);
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => {
        from = `${apiServerAddress}:${socket.localPort}`;
      });
      socket.once('secureConnect', () => {
        try {
          const fault = call.verify?.((socket as TLSSocket).getPeerCertificate(true).raw);
          if (fault !== undefined) outgoing.destroy(new CallFailed(fault));
        } catch (error) {
          reject(error);
          outgoing.destroy();
        }
      });
    });
    outgoing.end(call.body);
  });
}
