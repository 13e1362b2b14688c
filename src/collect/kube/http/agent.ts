import { X509Certificate } from 'node:crypto';
import type { Agent } from 'node:http';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import * as tls from 'node:tls';
import type { Credential } from '../credentials/credential.ts';
import { type Connection, ConnectionProblem, type KeyPair } from '../kubeconfig/connection.ts';
import { openTunnel } from './tunnel.ts';

/** The maximum number of concurrent connections. */
export const mostConnections = 8;

/** The newest TLS session with an API server. Connections of both pools resume it. */
interface ResumableSession {
  session?: Buffer | undefined;
}

/**
 * Verifies the API server as Go does: trusts only the given CAs (any certificate among them is an anchor),
 * and takes names only from the SAN. Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot weaken it.
 */
function tlsOptions(connection: Connection, pair: KeyPair | undefined): tls.ConnectionOptions {
  const name = connection.tlsServerName ?? connection.server.hostname.replace(/^\[|\]$/g, '');
  return {
    secureContext: secureContext(trusted(connection), pair),
    rejectUnauthorized: !connection.insecureSkipTlsVerify,
    // An IP address is not sent as server name (RFC 6066), and Node rejects it.
    servername: isIP(name) ? '' : name,
    checkServerIdentity: (_host, certificate) => checkName(name, certificate.raw),
    ALPNProtocols: ['http/1.1'],
  };
}

function secureContext(trust: readonly string[] | undefined, pair: KeyPair | undefined): tls.SecureContext {
  const options: tls.SecureContextOptions & { allowPartialTrustChain: boolean } = {
    minVersion: 'TLSv1.2',
    allowPartialTrustChain: true,
    ...(trust ? { ca: [...trust] } : {}),
  };
  try {
    return tls.createSecureContext(pair ? { ...options, cert: pair.certificate, key: pair.key } : options);
  } catch (error) {
    if (!pair) throw error;
    const encrypted = /ENCRYPTED/.test(pair.key);
    throw new ConnectionProblem(
      encrypted
        ? 'the client key is encrypted'
        : 'the client certificate and its key cannot be used: they do not match, or are not PEM',
      encrypted
        ? 'Store it decrypted, as kubectl requires, too.'
        : 'Check client-certificate and client-key of the user in the kubeconfig.',
    );
  }
}

/**
 * Without given CAs, trusts those of the operating system, as Go does; if Node cannot read them, those of
 * Node.
 */
function trusted({ trust, insecureSkipTlsVerify }: Connection): readonly string[] | undefined {
  // Reading the system's certificates takes 40 ms, and is unnecessary without verification.
  if (trust || insecureSkipTlsVerify) return trust ?? [];
  const system = tls.getCACertificates?.('system') ?? [];
  return system.length > 0 ? system : undefined;
}

function checkName(name: string, raw: Buffer): Error | undefined {
  const certificate = new X509Certificate(raw);
  const matches = isIP(name)
    ? certificate.checkIP(name)
    : certificate.checkHost(name, { subject: 'never', partialWildcards: false });
  if (matches !== undefined) return undefined;
  const valid = certificate.subjectAltName ?? 'no names at all';
  return Object.assign(new Error(`certificate is valid for ${valid}, not ${name}`), {
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
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

/** The connections to one API server, with one client certificate: a new one requires new connections. */
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
