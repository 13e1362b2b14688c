import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { ClockReading } from '../../facts/probes.ts';
import { type Query, ReadError } from '../cluster-reader.ts';
import { mostConnections } from './agent.ts';
import { agentPool } from './agent-pool.ts';
import type { Connection } from './connection.ts';
import { ConnectionProblem } from './connection-problem.ts';
import type { Credential, Credentials } from './credential.ts';
import { type Answer, exchange, type Take } from './exchange.ts';
import { withoutSecrets } from './mask-secrets.ts';
import { ending, noAnswer } from './no-answer.ts';
import type { Observe } from './observation.ts';
import { refusal } from './refusal.ts';
import { addressed, headersOf, queryText } from './request-head.ts';
import { pauseBeforeRetry } from './retry-after.ts';
import { showUrl } from './server-url.ts';
import { slots } from './slots.ts';

/** Requests to one API server: authenticated, limited in number, repeated where the server asks for it. */
export interface Transport {
  /** The answer of whatever status. Throws ReadError when there is none. */
  fetch(path: string, query: Query | undefined, accept: string, take?: Take): Promise<Answer>;
  /**
   * One request that is no GET, sent once: never repeated, except with a new credential after a 401, which means that
   * nothing happened. Throws ReadError when there is no answer, and then nobody knows whether it was carried out.
   */
  send(request: Sending): Promise<Answer>;
  /**
   * One request on a connection of its own pool, sent once: it may take long without holding up the others. Throws
   * ReadError as {@link Transport.send} does.
   */
  aside(request: Aside): Promise<Answer>;
  /** An open WebSocket. Throws ReadError with the server's words where it is refused. */
  upgrade(request: Upgrading): Promise<WebSocket>;
  /** The API server's time, from the newest answer that told it. */
  clock(): ClockReading | undefined;
  /** Ends when the whole run does. */
  readonly ended: AbortSignal | undefined;
  /** Texts that must not appear in anything we say; grows with renewed credentials. */
  readonly secrets: ReadonlySet<string>;
  close(): void;
}

/** A request with a body, JSON unless `contentType` says otherwise. */
export interface Sending {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: object | undefined;
  readonly contentType?: string | undefined;
  /** Ends this request alone. */
  readonly signal?: AbortSignal | undefined;
}

/** A request that is sent aside. */
export type Aside = Omit<Sending, 'method'> & {
  readonly method: Sending['method'] | 'GET';
  /** In place of `application/json`. */
  readonly accept?: string | undefined;
};

/** A request for a WebSocket. */
export interface Upgrading {
  readonly path: string;
  readonly query?: Query | undefined;
  readonly protocol: string;
  readonly signal: AbortSignal;
}

export interface TransportOptions {
  readonly signal?: AbortSignal | undefined;
  readonly observe?: Observe | undefined;
  readonly userAgent: string;
}

/** Connects to nothing yet: the first request does. Throws ConnectionProblem for a certificate that cannot be used. */
export function openTransport(
  connection: Connection,
  credentials: Credentials,
  first: Credential,
  { signal, observe, userAgent }: TransportOptions,
): Transport {
  const { server, requestTimeout } = connection;
  const secrets = new Set<string>();
  const shared = slots(mostConnections);
  const pool = agentPool(connection, first);
  let clock: ClockReading | undefined;

  const once = async (
    path: string,
    query: string,
    accept: string,
    credential: Credential,
    sending?: Aside,
    choose = pool.shared,
    take?: Take,
  ): Promise<Answer> => {
    const started = performance.now();
    const requestEnded = requestTimeout === undefined ? undefined : AbortSignal.timeout(requestTimeout);
    const seen = { method: sending?.method ?? 'GET', path: `${path}${query}` };
    const body = sending?.body === undefined ? undefined : Buffer.from(JSON.stringify(sending.body));
    try {
      const answer = await exchange({
        method: sending?.method,
        ...addressed(connection, `${path}${query}`),
        headers: {
          ...headersOf(connection, credential, accept, userAgent),
          ...(body === undefined
            ? {}
            : {
                'content-type': sending?.contentType ?? 'application/json',
                'content-length': body.length,
              }),
        },
        body,
        agent: choose(credential),
        signal: anyOf(signal, requestEnded, sending?.signal),
        connectWithin: connection.connectWithin,
        take,
      });
      const { date } = answer.headers;
      if (choose === pool.shared && date !== undefined && !Number.isNaN(Date.parse(date)))
        clock = { server: new Date(date).toISOString(), here: new Date().toISOString() };
      observe?.({
        ...seen,
        status: answer.status,
        bytes: answer.bytes,
        milliseconds: performance.now() - started,
      });
      return answer;
    } catch (error) {
      if (error instanceof ConnectionProblem) throw error;
      observe?.({ ...seen, status: undefined, bytes: 0, milliseconds: performance.now() - started });
      throw noAnswer(error, {
        path,
        server: showUrl(server),
        host: server.host,
        runEnded: signal,
        requestEnded: requestEnded?.aborted ? requestEnded : (sending?.signal ?? requestEnded),
        requestTimeout,
      });
    }
  };

  const credentialNow = async (path: string): Promise<Credential> => {
    stopIfEnded(signal, path);
    const credential = await credentialFor(credentials, path);
    for (const secret of credential.secrets) secrets.add(secret);
    return credential;
  };

  const sentOnce = async (sending: Aside, choose = pool.shared): Promise<Answer> => {
    const { path, query, accept = 'application/json' } = sending;
    for (let renewed = false; ; renewed = true) {
      const credential = await credentialNow(path);
      const answer = await once(path, queryText(query), accept, credential, sending, choose);
      if (answer.status !== 401 || renewed || !(await renew(credentials, credential))) return answer;
    }
  };

  const repeated = async (path: string, query: string, accept: string, take?: Take): Promise<Answer> => {
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      const credential = await credentialNow(path);
      const answer = await once(path, query, accept, credential, undefined, pool.shared, take);
      if (answer.status === 401 && !renewed) {
        renewed = true;
        if (await renew(credentials, credential)) continue;
      }
      const pause = pauseBeforeRetry(answer, tries);
      if (pause === undefined) return answer;
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => stopIfEnded(signal, path));
    }
  };

  const upgrade = async ({ path, query, protocol, signal: ended }: Upgrading): Promise<WebSocket> => {
    const { openWebSocket } = await import('./web-socket.ts');
    for (let renewed = false; ; renewed = true) {
      const credential = await credentialNow(path);
      const target = `${path}${queryText(query)}`;
      const started = performance.now();
      const prefix = server.pathname === '/' ? '' : server.pathname;
      const opened = await openWebSocket({
        url: `${server.origin}${prefix}${target}`,
        protocol,
        headers: headersOf(connection, credential, '*/*', userAgent),
        agent: pool.aside(credential),
        signal: anyOf(signal, ended),
      }).catch((error: unknown) => ({ error }));
      const milliseconds = performance.now() - started;
      const status = 'error' in opened ? undefined : 'refused' in opened ? opened.refused.status : 101;
      observe?.({ method: 'GET', path: target, status, bytes: 0, milliseconds });
      if ('error' in opened)
        throw noAnswer(opened.error, {
          path,
          server: showUrl(server),
          host: server.host,
          runEnded: signal,
          requestEnded: ended,
          requestTimeout: undefined,
        });
      if ('socket' in opened) return opened.socket;
      const { refused } = opened;
      if (refused.status === 401 && !renewed && (await renew(credentials, credential))) continue;
      throw refusal(refused, path, showUrl(server), (text) => withoutSecrets(text, [...secrets]));
    }
  };

  return {
    fetch: (path, query, accept, take) => shared(() => repeated(path, queryText(query), accept, take)),
    send: (sending) => shared(() => sentOnce(sending)),
    aside: (request) => sentOnce(request, pool.aside),
    upgrade,
    clock: () => clock,
    ended: signal,
    secrets,
    close: pool.close,
  };
}

function anyOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

function stopIfEnded(signal: AbortSignal | undefined, path: string): void {
  if (!signal?.aborted) return;
  const [reason, message] = ending(signal, path);
  throw new ReadError(message, { reason, path });
}

/** In the middle of a run a credential that cannot be renewed is a refused one. */
async function credentialFor(credentials: Credentials, path: string): Promise<Credential> {
  try {
    return await credentials.current();
  } catch (error) {
    if (!(error instanceof ConnectionProblem)) throw error;
    throw new ReadError(error.message, { reason: 'unauthorized', path });
  }
}

async function renew(credentials: Credentials, refused: Credential): Promise<boolean> {
  return credentials.renew(refused).catch(() => false);
}
