import type { Agent } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import type { Connection, KeyPair } from './connection.ts';
import type { Credential } from './credential.ts';
import { tlsOptions } from './tls-options.ts';
import { openTunnel } from './tunnel.ts';

/** The maximum number of concurrent connections. */
export const mostConnections = 8;

/** The newest TLS session with an API server. Connections of both pools resume it. */
interface ResumableSession {
  session?: Buffer | undefined;
}

/** A pool of keep-alive connections to the API server, with a limit. */
function agentFor(
  connection: Connection,
  clientCertificate: KeyPair | undefined,
  newest: ResumableSession,
  maxSockets: number,
): http.Agent {
  const pool = {
    keepAlive: true,
    maxSockets,
    scheduling: 'lifo' as const,
    // With several addresses, Node's default is 250 ms per address; a distant cluster needs longer.
    autoSelectFamilyAttemptTimeout: 2500,
  };
  const { proxy, server } = connection;
  const throughTunnel = proxy !== undefined && (server.protocol === 'https:' || proxy.protocol !== 'http:');
  if (server.protocol === 'http:') {
    const agent = new http.Agent(pool);
    if (proxy && throughTunnel) tunnelled(agent, proxy, connection, (socket) => socket);
    return agent;
  }
  const options = tlsOptions(connection, clientCertificate);
  const agent = new https.Agent({ ...pool, ...options });
  const connectTls = (more: tls.ConnectionOptions): tls.TLSSocket => {
    const socket = tls.connect({ ...more, session: newest.session });
    socket.on('session', (session) => {
      newest.session = session;
    });
    socket.once('close', (failed) => {
      if (failed) newest.session = undefined;
    });
    return socket;
  };
  if (proxy) tunnelled(agent, proxy, connection, (socket) => connectTls({ ...options, socket }));
  else agent.createConnection = (more) => connectTls(more as tls.ConnectionOptions);
  return agent;
}

type Socket = NonNullable<tls.ConnectionOptions['socket']>;

function tunnelled(
  agent: http.Agent,
  proxy: URL,
  { server, trust, insecureSkipTlsVerify }: Connection,
  wrap: (socket: Socket) => Socket,
): void {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(server.port || (server.protocol === 'https:' ? 443 : 80));
  agent.createConnection = (_options, callback) => {
    openTunnel(proxy, host, port, { ca: trust, rejectUnauthorized: !insecureSkipTlsVerify }).then(
      (socket) => callback?.(null, wrap(socket as Socket)),
      (error: Error) => callback?.(error, undefined as never),
    );
    return undefined;
  };
}

/**
 * The connections to one API server. They use one client certificate: a new certificate requires new
 * connections.
 */
export interface AgentPool {
  /** A few connections, for short requests. */
  shared(credential: Credential): Agent;
  /** Unlimited connections: long requests do not delay others. */
  aside(credential: Credential): Agent;
  close(): void;
}

/** Creates a pool without connecting. Throws ConnectionProblem for a certificate that cannot be used. */
export function agentPool(connection: Connection, first: Credential, most: number): AgentPool {
  const made = ({ clientCertificate }: Credential) => {
    const newest: ResumableSession = {};
    return {
      shared: agentFor(connection, clientCertificate, newest, most),
      // Created on first use: most runs do not need it.
      aside: undefined as Agent | undefined,
      clientCertificate,
      newest,
    };
  };
  let agents = made(first);
  const close = (): void => {
    agents.shared.destroy();
    agents.aside?.destroy();
  };
  const current = (credential: Credential) => {
    if (agents.clientCertificate !== credential.clientCertificate) {
      close();
      agents = made(credential);
    }
    return agents;
  };
  return {
    shared: (credential) => current(credential).shared,
    aside(credential) {
      const of = current(credential);
      of.aside ??= agentFor(connection, of.clientCertificate, of.newest, Number.POSITIVE_INFINITY);
      return of.aside;
    },
    close,
  };
}
