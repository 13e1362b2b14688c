import * as http from 'node:http';
import * as https from 'node:https';
import * as tls from 'node:tls';
import type { Connection, KeyPair } from './connection.ts';
import { tlsOptions } from './tls-options.ts';
import { openTunnel } from './tunnel.ts';

/** Connections that are used at the same time, at most. */
export const mostConnections = 8;

/** One pool of kept connections to the API server, at most so many. */
export function agentFor(
  connection: Connection,
  clientCertificate: KeyPair | undefined,
  maxSockets = mostConnections,
): http.Agent {
  const pool = {
    keepAlive: true,
    maxSockets,
    scheduling: 'lifo' as const,
    // Node gives the first of several addresses 250 ms; a far cluster needs longer.
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
  if (proxy) tunnelled(agent, proxy, connection, (socket) => tls.connect({ ...options, socket }));
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
