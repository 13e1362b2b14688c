import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** Who asks. `admin` may do everything, `reader` nothing but look at ConfigMaps of the namespace `contract`. */
export type Caller = 'admin' | 'reader' | 'nobody' | 'impostor';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly json: unknown;
}

export interface Question {
  readonly as?: Caller;
  readonly method?: string;
  readonly accept?: string;
  readonly gzip?: boolean;
}

/** A cluster that the contract is held against. */
export interface ContractCluster {
  ask(path: string, question?: Question): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Access {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /** TLS options of requests: what to trust, and a client certificate where the administrator has one. */
  readonly trust: { readonly ca: string };
  readonly administrator: { readonly token?: string; readonly cert?: string; readonly key?: string };
}

/** Plain HTTPS requests with nothing in between. `reader` is impersonated, as `kubectl --as` does. */
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
    ask: (path, { as = 'admin', method = 'GET', accept = 'application/json', gzip = false } = {}) =>
      new Promise((resolve, reject) => {
        const headers = { accept, ...credentials(as), ...(gzip ? { 'accept-encoding': 'gzip' } : {}) };
        const agent = as === 'nobody' || as === 'impostor' ? agents.anyone : agents.admin;
        const outgoing = request(`${server}${path}`, { method, headers, agent }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const body = Buffer.concat(chunks);
            const plain = response.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
            const text = plain.toString();
            const isJson = response.headers['content-type']?.startsWith('application/json');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json: isJson ? JSON.parse(text) : undefined,
            });
          });
        });
        outgoing.on('error', reject);
        outgoing.end(method === 'GET' ? undefined : '{}');
      }),
    async stop() {
      agents.admin.destroy();
      agents.anyone.destroy();
      await stop();
    },
  };
}
