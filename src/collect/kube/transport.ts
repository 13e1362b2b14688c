import type { Agent, OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Query, ReadError } from '../cluster-reader.ts';
import { agentFor, mostConnections } from './agent.ts';
import type { Connection } from './connection.ts';
import { ConnectionProblem } from './connection-problem.ts';
import type { Credential, Credentials } from './credential.ts';
import { type Answer, exchange } from './exchange.ts';
import { ending, noAnswer } from './no-answer.ts';
import type { Observe } from './observation.ts';
import { pauseBeforeRetry } from './retry-after.ts';
import { showUrl } from './server-url.ts';
import { slots } from './slots.ts';
import { proxyAuthorization } from './tunnel.ts';

/** Requests to one API server: authenticated, limited in number, repeated where the server asks for it. */
export interface Transport {
  /** The answer of whatever status. Throws ReadError when there is none. */
  fetch(path: string, query: Query | undefined, accept: string): Promise<Answer>;
  /**
   * One request that is no GET, sent once: never repeated, except with a new credential after a 401, which means that
   * nothing happened. Throws ReadError when there is no answer, and then nobody knows whether it was carried out.
   */
  send(request: Sending): Promise<Answer>;
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
  const poolFor = ({ clientCertificate }: Credential) => ({
    agent: agentFor(connection, clientCertificate),
    clientCertificate,
  });
  let pool = poolFor(first);

  /** Connections are made with one client certificate: a new one needs new connections. */
  const agent = (credential: Credential): Agent => {
    if (pool.clientCertificate !== credential.clientCertificate) {
      pool.agent.destroy();
      pool = poolFor(credential);
    }
    return pool.agent;
  };

  const once = async (
    path: string,
    query: string,
    accept: string,
    credential: Credential,
    sending?: Sending,
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
        agent: agent(credential),
        signal: anyOf(signal, requestEnded, sending?.signal),
      });
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

  const sentOnce = async (sending: Sending): Promise<Answer> => {
    const { path } = sending;
    for (let renewed = false; ; renewed = true) {
      stopIfEnded(signal, path);
      const credential = await credentialFor(credentials, path);
      for (const secret of credential.secrets) secrets.add(secret);
      const answer = await once(path, queryText(sending.query), 'application/json', credential, sending);
      if (answer.status !== 401 || renewed || !(await renew(credentials, credential))) return answer;
    }
  };

  const repeated = async (path: string, query: string, accept: string): Promise<Answer> => {
    let renewed = false;
    for (let tries = 1; ; tries += 1) {
      stopIfEnded(signal, path);
      const credential = await credentialFor(credentials, path);
      for (const secret of credential.secrets) secrets.add(secret);
      const answer = await once(path, query, accept, credential);
      if (answer.status === 401 && !renewed) {
        renewed = true;
        if (await renew(credentials, credential)) continue;
      }
      const pause = pauseBeforeRetry(answer, tries);
      if (pause === undefined) return answer;
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => stopIfEnded(signal, path));
    }
  };

  return {
    fetch: (path, query, accept) => shared(() => repeated(path, queryText(query), accept)),
    send: (sending) => shared(() => sentOnce(sending)),
    secrets,
    close: () => pool.agent.destroy(),
  };
}

function headersOf(
  { server, gzip, impersonation, proxy }: Connection,
  { authorization }: Credential,
  accept: string,
  userAgent: string,
): OutgoingHttpHeaders {
  const viaProxy = proxy && isForwarded(server, proxy) ? proxyAuthorization(proxy) : undefined;
  return {
    host: server.host,
    accept,
    'user-agent': userAgent,
    ...(gzip ? { 'accept-encoding': 'gzip' } : {}),
    ...(authorization ? { authorization } : {}),
    ...(viaProxy ? { 'proxy-authorization': viaProxy } : {}),
    ...(impersonation as Record<string, string | string[]>),
  };
}

/** Plain http goes to an http proxy whole; everything else through a tunnel. */
function isForwarded(server: URL, proxy: URL): boolean {
  return server.protocol === 'http:' && proxy.protocol === 'http:';
}

function addressed({ server, proxy }: Connection, path: string): { url: URL; target: string | undefined } {
  const prefix = server.pathname === '/' ? '' : server.pathname;
  if (proxy && isForwarded(server, proxy)) return { url: proxy, target: `${server.origin}${prefix}${path}` };
  return { url: server, target: `${prefix}${path}` };
}

function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
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
