import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { fileWith } from './plugin.ts';

/** One request to the real API server; `index` counts from 0. */
export interface Passing {
  readonly index: number;
  readonly method: string;
  /** With its query. */
  readonly path: string;
}

/**
 * The action of the proxy. `pass`; `{ as }`: sent as another user; `{ status, arrives }`: this response
 * instead, with or without forwarding the request; `{ dropped }`: no response; `{ before }`, `{ after }`:
 * work before the request is forwarded, or before its response is sent.
 */
export type Fault =
  | 'pass'
  | { readonly as: string }
  | { readonly status: number; readonly arrives: boolean }
  | { readonly dropped: true; readonly arrives: boolean }
  | { readonly before: () => Promise<void> }
  | { readonly after: () => Promise<void> };

export interface FaultyProxy {
  /** Of a user who is cluster-admin through the proxy. */
  readonly kubeconfig: string;
  readonly seen: readonly Passing[];
  close(): Promise<void>;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A proxy between a program and a real API server that makes requests fail. Plain HTTP on 127.0.0.1. */
export async function faultyProxy(
  kubeconfig: string,
  fault: (passing: Passing) => Fault | Promise<Fault>,
): Promise<FaultyProxy> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options as never);
  const agent = new Agent({ ...(options as object), keepAlive: true });
  const upstream = new URL(config.getCurrentCluster()?.server ?? '');
  const seen: Passing[] = [];

  const forward = (incoming: IncomingMessage, body: Buffer, as?: string) =>
    new Promise<Answered>((resolve, reject) => {
      const { host: _, connection: __, ...headers } = incoming.headers;
      const outgoing = request(
        {
          agent,
          host: upstream.hostname,
          port: upstream.port,
          method: incoming.method,
          path: incoming.url,
          headers: {
            ...options.headers,
            ...headers,
            ...(as === undefined ? {} : { 'impersonate-user': as }),
          },
        },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const passing = { index: seen.length, method: incoming.method ?? '', path: incoming.url ?? '' };
    seen.push(passing);
    const what = await fault(passing);
    if (what === 'pass') return answered(response, await forward(incoming, body));
    if ('before' in what) await what.before();
    if ('arrives' in what && !what.arrives) return end(response, what);
    const answer = await forward(incoming, body, 'as' in what ? what.as : undefined);
    if ('after' in what) await what.after();
    if ('arrives' in what) return end(response, what);
    answered(response, answer);
  };

  const answered = (response: ServerResponse, { status, headers, body }: Answered): void => {
    const { 'transfer-encoding': _, connection: __, ...kept } = headers;
    response.writeHead(status, { ...kept, 'content-length': body.length });
    response.end(body);
  };

  const end = (response: ServerResponse, what: { status: number } | { dropped: true }): void => {
    if ('dropped' in what) {
      response.socket?.destroy();
      return;
    }
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: what.status,
      message: 'etcdserver: request timed out',
    };
    response.writeHead(what.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status));
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const named = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'proxy',
    clusters: [{ name: 'proxy', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'proxy', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
  };
  return {
    kubeconfig: fileWith(JSON.stringify(named)),
    seen,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}
