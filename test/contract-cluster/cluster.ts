import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { WebSocket } from 'ws';

/** The caller. `admin` may do everything, `reader` may only read ConfigMaps of the namespace `contract`. */
export type Caller = 'admin' | 'reader' | 'nobody' | 'impostor';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
}

export interface Question {
  readonly as?: Caller;
  readonly method?: string;
  readonly accept?: string;
  readonly gzip?: boolean;
  /** JSON; `{}` if a body is required. */
  readonly body?: string;
  readonly contentType?: string;
}

/** The messages of a WebSocket until it closed. */
export interface Forwarded {
  readonly protocol: string;
  /** Messages of each channel, without the channel's number. */
  readonly channels: readonly (readonly Buffer[])[];
  readonly code: number;
  /** The response, if there was no WebSocket. */
  readonly refused?: Answer;
}

/** A cluster to test against the contract. */
export interface ContractCluster {
  ask(path: string, question?: Question): Promise<Answer>;
  /** Opens a port-forward; sends once every channel has sent its port; ends when the other side ends. */
  forward(path: string, content: Buffer, as?: Caller): Promise<Forwarded>;
  stop(): Promise<void>;
}

export interface Access {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /**
   * TLS options of requests: the trusted CA, and the client certificate of the administrator if there is one.
   */
  readonly trust: { readonly ca: string };
  readonly administrator: { readonly token?: string; readonly cert?: string; readonly key?: string };
}

async function answerIn(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { headers, statusCode: status = 0 } = response;
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();
  const isJson = headers['content-type']?.startsWith('application/json');
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}

/** Plain HTTPS requests without a client library. `reader` is impersonated, as by `kubectl --as`. */
export function contractCluster(
  { server, trust, administrator }: Access,
  stop: () => Promise<void>,
): ContractCluster {
  const { token, ...certificate } = administrator;
  const agents = {
    admin: new Agent({ keepAlive: true, ...trust, ...certificate }),
    anyone: new Agent({ keepAlive: true, ...trust }),
  };
  const credentials = (caller: Caller): Record<string, string> => {
    if (caller === 'nobody') return {};
    if (caller === 'impostor') return { authorization: 'Bearer nonsense' };
    return {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(caller === 'reader' ? { 'impersonate-user': 'reader' } : {}),
    };
  };
  return {
    ask: (
      path,
      {
        as = 'admin',
        method = 'GET',
        accept = 'application/json',
        gzip = false,
        body = '{}',
        contentType = 'application/json',
      } = {},
    ) =>
      new Promise((resolve, reject) => {
        const headers = {
          ...{ accept, ...credentials(as), ...(gzip ? { 'accept-encoding': 'gzip' } : {}) },
          ...(method === 'GET'
            ? {}
            : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
        };
        const agent = as === 'nobody' || as === 'impostor' ? agents.anyone : agents.admin;
        const outgoing = request(`${server}${path}`, { method, headers, agent }, (response) => {
          answerIn(response).then(resolve, reject);
        });
        outgoing.on('error', reject);
        outgoing.end(method === 'GET' ? undefined : body);
      }),
    forward: (path, content, as = 'admin') =>
      new Promise((resolve, reject) => {
        const url = `${server}${path}`.replace(/^https/, 'wss');
        const client = as === 'nobody' ? {} : certificate;
        const socket = new WebSocket(url, ['v4.channel.k8s.io'], {
          ...{ ...trust, ...client, headers: credentials(as), perMessageDeflate: false },
        });
        const channels: Buffer[][] = [];
        socket.on('message', (message: Buffer) => {
          const [channel = 0] = message;
          const messages = channels[channel] ?? [];
          channels[channel] = messages;
          messages.push(message.subarray(1));
          if (channel === 1 && messages.length === 1) socket.send(Buffer.concat([Buffer.from([0]), content]));
        });
        socket.on('unexpected-response', (_request, response) => {
          answerIn(response)
            .then((refused) => resolve({ protocol: '', channels, code: 0, refused }), reject)
            .finally(() => socket.terminate());
        });
        socket.on('close', (code) => resolve({ protocol: socket.protocol, channels, code }));
        socket.on('error', (error) => {
          if (socket.readyState === socket.OPEN) reject(error);
        });
      }),
    async stop() {
      agents.admin.destroy();
      agents.anyone.destroy();
      await stop();
    },
  };
}
