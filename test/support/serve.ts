import { request } from 'node:https';
import { HopelessError, waitFor } from '../cluster/wait.ts';
import { type Running, startPlugin } from './plugin.ts';

/** A response of `serve`. */
export interface Served {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** A request for a page. */
export interface Asking {
  readonly token?: string;
  readonly method?: string;
  readonly body?: string;
}

/** `kubectl webhook serve` on a port of 127.0.0.1. */
export interface Serving extends Running {
  readonly port: number;
  get(path: string, asking?: Asking): Promise<Served>;
  /** Values of /metrics, by `name{labels}` as written; needs `--allow-anonymous`. */
  metrics(): Promise<ReadonlyMap<string, number>>;
}

/** Sends one request, without verification of the certificate. */
const ask = (port: number, path: string, { token, method = 'GET', body }: Asking = {}): Promise<Served> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    };
    const options = {
      port,
      host: '127.0.0.1',
      path,
      method,
      headers,
      agent: false,
      rejectUnauthorized: false,
    };
    const asked = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(body);
  });

/** The values of an OpenMetrics text. */
export function metricValues(text: string): ReadonlyMap<string, number> {
  const lines = text.trimEnd().split('\n');
  if (lines.at(-1) !== '# EOF') throw new Error('the text does not end with # EOF');
  return new Map(
    lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))] as const;
      }),
  );
}

/** Starts it, and waits until it is ready unless `ready` is false. */
export async function startServing(args: readonly string[], ready = true): Promise<Serving> {
  const running = startPlugin(['serve', '--listen', '127.0.0.1:0', ...args]);
  let over = false;
  void running.ended.then(() => {
    over = true;
  });
  const port = await waitFor('serve to listen', () => {
    if (over) throw new HopelessError(running.written().stderr);
    return Number(/ at port (\d+)/.exec(running.written().stderr)?.[1]) || undefined;
  });
  const get = (path: string, asking?: Asking) => ask(port, path, asking);
  if (ready)
    await waitFor('serve to be ready', async () => (await get('/readyz')).status === 200, { interval: 200 });
  return { ...running, port, get, metrics: async () => metricValues((await get('/metrics')).body) };
}
