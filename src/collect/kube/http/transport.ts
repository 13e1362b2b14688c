import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { goJsonText } from '../../../apiserver/go/value.ts';
import type { ClockReading } from '../../../facts/probes.ts';
import { type Query, ReadError } from '../../cluster.ts';
import { slots } from '../../slots.ts';
import type { Credential, Credentials } from '../credentials/credential.ts';
import { withoutSecrets } from '../credentials/mask-secrets.ts';
import { type Connection, ConnectionProblem } from '../kubeconfig/connection.ts';
import { showUrl } from '../kubeconfig/server-url.ts';
import { agentPool, mostConnections } from './agent.ts';
import { type ExchangedResponse, exchange, type TakeChunk } from './exchange.ts';
import type { Observe } from './observation.ts';
import { ending, requestFailure } from './request-failure.ts';
import { addressed, headersOf, queryText } from './request-head.ts';
import { refusalError } from './response-error.ts';

/** Requests to one API server: authenticated, limited in number, repeated if the server requests it. */
export interface Transport {
  /** Sends a GET; the response may have any status. Throws ReadError if there is no response. */
  fetch(path: string, query: Query | undefined, accept: string, take?: TakeChunk): Promise<ExchangedResponse>;
  /**
   * Sends a request that is not a GET. It is sent once, and again only with new credentials after a 401,
   * which shows that it was not executed. Throws ReadError if there is no response; then it is unknown
   * whether it was executed.
   */
  send(request: Sending): Promise<ExchangedResponse>;
  /**
   * Sends a request once, on a separate connection: it may take long and does not delay others. Throws
   * ReadError as {@link Transport.send} does.
   */
  aside(request: SeparateRequest): Promise<ExchangedResponse>;
  /** Opens a WebSocket. Throws ReadError with the message of the server if it is refused. */
  upgrade(request: Upgrading): Promise<WebSocket>;
  /** The API server's time, from the `Date` header of the last response. */
  clock(): ClockReading | undefined;
  /** Aborted when the run ends. */
  readonly ended: AbortSignal | undefined;
  /** Texts that must not appear in any output; grows with renewed credentials. */
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
  /** Ends only this request. */
  readonly signal?: AbortSignal | undefined;
}

/** A request on a separate connection. */
export type SeparateRequest = Omit<Sending, 'method'> & {
  readonly method: Sending['method'] | 'GET';
  /** Replaces `application/json`. */
  readonly accept?: string | undefined;
  readonly take?: TakeChunk | undefined;
  /** A watch or a long log: the request timeout does not apply. */
  readonly lasting?: true;
};

/** A request, and the pool of connections that it uses. */
interface Call extends SeparateRequest {
  readonly agents: 'shared' | 'aside';
  /** Send it again when the API server asks for that. */
  readonly repeats?: true;
}

/** A request for a WebSocket. */
export interface Upgrading {
  readonly path: string;
  readonly query?: Query | undefined;
  readonly protocol: string;
  readonly signal: AbortSignal;
}

/** Options of a transport. */
export interface TransportOptions {
  readonly signal?: AbortSignal | undefined;
  readonly observe?: Observe | undefined;
  readonly userAgent: string;
  readonly connections?: number | undefined;
}

/** The state that the requests of one transport share. */
interface Session {
  readonly connection: Connection;
  readonly credentials: Credentials;
  readonly options: TransportOptions;
  readonly pool: ReturnType<typeof agentPool>;
  readonly secrets: Set<string>;
  clock: ClockReading | undefined;
}

/**
 * Opens a transport without connecting: the first request opens the first connection. Throws
 * ConnectionProblem for a certificate that cannot be used.
 */
export function openTransport(
  connection: Connection,
  credentials: Credentials,
  first: Credential,
  options: TransportOptions,
): Transport {
  const { connections = mostConnections, signal } = options;
  const limited = slots(connections);
  // Each request adds a listener.
  if (signal !== undefined) setMaxListeners(0, signal);
  const pool = agentPool(connection, first, connections);
  const session: Session = { connection, credentials, options, pool, secrets: new Set(), clock: undefined };
  return {
    fetch: (path, query, accept, take) =>
      limited(() =>
        send(session, { method: 'GET', path, query, accept, take, agents: 'shared', repeats: true }),
      ),
    send: (request) => limited(() => send(session, { ...request, agents: 'shared' })),
    aside: (request) => send(session, { ...request, agents: 'aside' }),
    upgrade: (request) => upgrade(session, request),
    clock: () => session.clock,
    ended: signal,
    secrets: session.secrets,
    close: pool.close,
  };
}

/** Sends a request, and again with renewed credentials after a 401. */
async function send(session: Session, call: Call): Promise<ExchangedResponse> {
  const { signal } = session.options;
  let renewed = false;
  for (let tries = 1; ; tries += 1) {
    const credential = await currentCredential(session, call.path);
    const response = await sendOnce(session, call, credential);
    if (response.status === 401 && !renewed) {
      renewed = true;
      if (await renew(session.credentials, credential)) continue;
    }
    const pause = call.repeats ? pauseBeforeRetry(response, tries) : undefined;
    if (pause === undefined) return response;
    await sleep(pause, undefined, signal ? { signal } : {}).catch(() => stopIfEnded(signal, call.path));
  }
}

/** Sends a request with one credential. Throws ReadError if there is no response. */
async function sendOnce(session: Session, call: Call, credential: Credential): Promise<ExchangedResponse> {
  const { connection, options, pool } = session;
  const { server, requestTimeout } = connection;
  const { method, path, body: content, accept = 'application/json', agents, take, lasting } = call;
  const requestEnded =
    requestTimeout === undefined || lasting ? undefined : AbortSignal.timeout(requestTimeout);
  const target = `${path}${queryText(call.query)}`;
  const observed = observing(session, method, target);
  const body = content === undefined ? undefined : Buffer.from(goJsonText(content));
  const contentHeaders = body && {
    'content-type': call.contentType ?? 'application/json',
    'content-length': body.length,
  };
  try {
    const response = await exchange({
      method,
      ...addressed(connection, target),
      headers: { ...headersOf(connection, credential, accept, options.userAgent), ...contentHeaders },
      body,
      agent: pool[agents](credential),
      signal: anyOf(options.signal, requestEnded, call.signal),
      connectWithin: connection.connectWithin,
      take,
    });
    if (agents === 'shared') session.clock = clockOf(response) ?? session.clock;
    observed(response.status, response.bytes);
    return response;
  } catch (error) {
    if (error instanceof ConnectionProblem) throw error;
    observed(undefined, 0);
    throw requestFailure(error, {
      path,
      server: showUrl(server),
      host: server.host,
      runEnded: options.signal,
      requestEnded: requestEnded?.aborted ? requestEnded : (call.signal ?? requestEnded),
      requestTimeout,
    });
  }
}

/** Reports a request to the observer of the transport when its status is known. */
function observing({ options }: Session, method: string, path: string) {
  const started = performance.now();
  return (status: number | undefined, bytes: number): void =>
    options.observe?.({ method, path, status, bytes, milliseconds: performance.now() - started });
}

function clockOf({ headers: { date } }: ExchangedResponse): ClockReading | undefined {
  if (date === undefined || Number.isNaN(Date.parse(date))) return undefined;
  return { server: new Date(date).toISOString(), here: new Date().toISOString() };
}

async function upgrade(session: Session, request: Upgrading): Promise<WebSocket> {
  const { openWebSocket } = await import('./web-socket.ts');
  const { connection, credentials, options, pool, secrets } = session;
  const { server } = connection;
  const { path, query, protocol, signal: ended } = request;
  for (let renewed = false; ; renewed = true) {
    const credential = await currentCredential(session, path);
    const target = `${path}${queryText(query)}`;
    const observed = observing(session, 'GET', target);
    const prefix = server.pathname === '/' ? '' : server.pathname;
    const opened = await openWebSocket({
      url: `${server.origin}${prefix}${target}`,
      protocol,
      headers: headersOf(connection, credential, '*/*', options.userAgent),
      agent: pool.aside(credential),
      signal: anyOf(options.signal, ended),
    }).catch((error: unknown) => ({ error }));
    const status = 'refused' in opened ? opened.refused.status : 101;
    observed('error' in opened ? undefined : status, 0);
    if ('error' in opened)
      throw requestFailure(opened.error, {
        path,
        server: showUrl(server),
        host: server.host,
        runEnded: options.signal,
        requestEnded: ended,
        requestTimeout: undefined,
      });
    if ('socket' in opened) return opened.socket;
    const { refused } = opened;
    if (refused.status === 401 && !renewed && (await renew(credentials, credential))) continue;
    throw refusalError(refused, path, showUrl(server), (text) => withoutSecrets(text, [...secrets]));
  }
}

async function currentCredential(session: Session, path: string): Promise<Credential> {
  stopIfEnded(session.options.signal, path);
  const credential = await credentialFor(session.credentials, path);
  for (const secret of credential.secrets) session.secrets.add(secret);
  return credential;
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

/** A credential that cannot be renewed during a run counts as refused. */
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

/** Attempts for one request, including the first. */
const mostTries = 6;
/** Milliseconds; a request with a longer Retry-After is not repeated. */
const longestPause = 60_000;

/**
 * Milliseconds to wait before the request is repeated; undefined: it is not repeated. Only 429 and 5xx with a
 * Retry-After header are repeated. Source: client-go/rest/with_retry.go.
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

/** Parses `Thu, 01 Jan 2026 00:00:07 GMT`; NaN for other formats, many of which Date.parse accepts. */
function httpDate(text: string): number {
  return / GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
