import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { ClockReading } from '../../facts/probes.ts';
import { type Query, ReadError } from '../cluster-reader.ts';
import { slots } from '../slots.ts';
import { agentPool, mostConnections } from './agent.ts';
import { type Connection, ConnectionProblem } from './connection.ts';
import type { Credential, Credentials } from './credential.ts';
import { type ExchangedResponse, exchange, type Take } from './exchange.ts';
import { withoutSecrets } from './mask-secrets.ts';
import type { Observe } from './observation.ts';
import { refusalError } from './refusal.ts';
import { ending, requestFailure } from './request-failure.ts';
import { addressed, headersOf, queryText } from './request-head.ts';
import { showUrl } from './server-url.ts';

/** Requests to one API server: authenticated, limited in number, repeated where the server asks for it. */
export interface Transport {
  /** The answer of whatever status. Throws ReadError when there is none. */
  fetch(path: string, query: Query | undefined, accept: string, take?: Take): Promise<ExchangedResponse>;
  /**
   * One request that is no GET, sent once: never repeated, except with a new credential after a 401, which means that
   * nothing happened. Throws ReadError when there is no answer, and then nobody knows whether it was carried out.
   */
  send(request: Sending): Promise<ExchangedResponse>;
  /**
   * One request on a connection of its own pool, sent once: it may take long without holding up the others. Throws
   * ReadError as {@link Transport.send} does.
   */
  aside(request: Aside): Promise<ExchangedResponse>;
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
  readonly take?: Take | undefined;
  /** It is meant to last: the time limit of a request does not hold for it. */
  readonly lasting?: true;
};

interface Call extends Aside {
  readonly agents: 'shared' | 'aside';
}

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
  /** That are used at the same time, at most. */
  readonly connections?: number | undefined;
}

/** Connects to nothing yet: the first request does. Throws ConnectionProblem for a certificate that cannot be used. */
export function openTransport(
  connection: Connection,
  credentials: Credentials,
  first: Credential,
  { signal, observe, userAgent, connections = mostConnections }: TransportOptions,
): Transport {
  const { server, requestTimeout } = connection;
  const secrets = new Set<string>();
  const shared = slots(connections);
  const pool = agentPool(connection, first, connections);
  let clock: ClockReading | undefined;

  const once = async (call: Call, credential: Credential): Promise<ExchangedResponse> => {
    const started = performance.now();
    const { method, path, body: content, accept = 'application/json', agents, take, lasting } = call;
    const requestEnded =
      requestTimeout === undefined || lasting ? undefined : AbortSignal.timeout(requestTimeout);
    const target = `${path}${queryText(call.query)}`;
    const seen = (status: number | undefined, bytes: number): void =>
      observe?.({ method, path: target, status, bytes, milliseconds: performance.now() - started });
    const body = content === undefined ? undefined : Buffer.from(goJson(content));
    const contentHeaders = body && {
      'content-type': call.contentType ?? 'application/json',
      'content-length': body.length,
    };
    try {
      const answer = await exchange({
        method,
        ...addressed(connection, target),
        headers: { ...headersOf(connection, credential, accept, userAgent), ...contentHeaders },
        body,
        agent: pool[agents](credential),
        signal: anyOf(signal, requestEnded, call.signal),
        connectWithin: connection.connectWithin,
        take,
      });
      const { date } = answer.headers;
      if (agents === 'shared' && date !== undefined && !Number.isNaN(Date.parse(date)))
        clock = { server: new Date(date).toISOString(), here: new Date().toISOString() };
      seen(answer.status, answer.bytes);
      return answer;
    } catch (error) {
      if (error instanceof ConnectionProblem) throw error;
      seen(undefined, 0);
      throw requestFailure(error, {
        path,
        server: showUrl(server),
        host: server.host,
        runEnded: signal,
        requestEnded: requestEnded?.aborted ? requestEnded : (call.signal ?? requestEnded),
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

  /** Again after a refused credential; where `repeats`, also when the server wants it. */
  const ask = async (call: Call, repeats: boolean): Promise<ExchangedResponse> => {
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      const credential = await credentialNow(call.path);
      const answer = await once(call, credential);
      if (answer.status === 401 && !renewed) {
        renewed = true;
        if (await renew(credentials, credential)) continue;
      }
      const pause = repeats ? pauseBeforeRetry(answer, tries) : undefined;
      if (pause === undefined) return answer;
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => stopIfEnded(signal, call.path));
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
        throw requestFailure(opened.error, {
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
      throw refusalError(refused, path, showUrl(server), (text) => withoutSecrets(text, [...secrets]));
    }
  };

  return {
    fetch: (path, query, accept, take) =>
      shared(() => ask({ method: 'GET', path, query, accept, take, agents: 'shared' }, true)),
    send: (sending) => shared(() => ask({ ...sending, agents: 'shared' }, false)),
    aside: (request) => ask({ ...request, agents: 'aside' }, false),
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

/** Tries of one request, the first included. */
const mostTries = 6;
/** Milliseconds; a server that wants a longer pause is not waited for. */
const longestPause = 60_000;

/**
 * Milliseconds to wait before the same request is made again; undefined: the answer stands. Asked again is only what the
 * server itself wants asked again: 429 and 5xx with Retry-After. Source: client-go/rest/with_retry.go.
 */
export function pauseBeforeRetry(
  answer: ExchangedResponse,
  tries: number,
  now = Date.now(),
): number | undefined {
  const retryAfter = answer.headers['retry-after'];
  if (retryAfter === undefined || tries >= mostTries) return undefined;
  if (answer.status !== 429 && answer.status < 500) return undefined;
  const pause = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : httpDate(retryAfter) - now;
  return Number.isNaN(pause) || pause > longestPause ? undefined : Math.max(pause, 0);
}

/** `Thu, 01 Jan 2026 00:00:07 GMT`; NaN for anything else, of which Date.parse understands too much. */
function httpDate(text: string): number {
  return / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}

/**
 * JSON as Go writes it: with `&`, `<`, `>` and the line separators escaped. A JSON Patch of the API server compares the
 * value of a `test` with the stored one byte for byte (evanphx/json-patch; seen on 1.35.4 with `&&` in a matchCondition).
 */
const goJson = (content: unknown): string =>
  JSON.stringify(content).replace(
    /[&<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
