import type { Environment } from '../../basics/environment.ts';
import { type ClusterReader, type OpenProber, ReadError } from '../cluster.ts';
import {
  bearer,
  type Credential,
  type Credentials,
  silent,
  userAndPassword,
} from './credentials/credential.ts';
import { execCredentials } from './credentials/exec-credentials.ts';
import type { Observe } from './http/observation.ts';
import { ending } from './http/request-failure.ts';
import { openTransport, type Transport } from './http/transport.ts';
import { kubeReader } from './kube-reader.ts';
import { type Connection, ConnectionProblem, type KeyPair } from './kubeconfig/connection.ts';
import type { KubeFlags } from './kubeconfig/kube-flags.ts';
import { readTextFile } from './kubeconfig/pem.ts';
import { resolveConnection } from './kubeconfig/resolve-connection.ts';

/** Milliseconds: half of the time from the kubelet's renewal of a token to its expiry (token_source.go). */
const rereadAfter = 50_000;

/**
 * A token that is renewed in a file, for example by the kubelet: the file is read again after some time and
 * after a 401. If the file can no longer be read, the last token is used. Source:
 * client-go/transport/token_source.go.
 */
export function tokenFileCredentials(
  file: string,
  clientCertificate: KeyPair | undefined,
  now: () => number = Date.now,
): Credentials {
  let last: Credential | undefined;
  let readAt = 0;

  const read = (): Credential => {
    readAt = now();
    const token = readTextFile('token file', file).trim();
    if (token === '')
      throw new ConnectionProblem(
        `the token file ${file} is empty`,
        'Wait until it is written, or correct tokenFile.',
      );
    const credential = bearer(token, clientCertificate);
    return last && last.authorization === credential.authorization ? last : credential;
  };

  const refresh = (): Credential => {
    try {
      last = read();
      return last;
    } catch (error) {
      if (!last) throw error;
      return last;
    }
  };

  return {
    current: async () => (last && now() - readAt < rereadAfter ? last : refresh()),
    renew: async (refused) => (last === refused ? refresh() !== refused : true),
  };
}

/** The name that the certificate of every API server contains: the one that Pods in the cluster use. */
const nameInEveryCertificate = 'kubernetes.default.svc';

/** Milliseconds: another API server is near, or not reachable. */
const connectWithin = 1_000;
const requestTimeout = 10_000;

/**
 * A connection to another API server of the same cluster. It is verified with the cluster's own CA and the
 * name that all API servers share, because users who may write EndpointSlices choose the address. Undefined
 * if the kubeconfig does not verify certificates.
 */
function otherServer(connection: Connection, address: string): Connection | undefined {
  if (connection.server.protocol !== 'https:' || connection.insecureSkipTlsVerify) return undefined;
  if (!URL.canParse(`https://${address}`)) return undefined;
  return {
    ...connection,
    server: new URL(`https://${address}`),
    tlsServerName: connection.tlsServerName ?? nameInEveryCertificate,
    connectWithin,
    requestTimeout: Math.min(connection.requestTimeout ?? requestTimeout, requestTimeout),
  };
}

/** Creates the credentials for a connection's identity. `signal` ends a plugin that still runs. */
function credentialsOf(
  { identity, clientCertificate }: Connection,
  env: Environment,
  signal: AbortSignal | undefined,
): Credentials {
  switch (identity.kind) {
    case 'token-file':
      return tokenFileCredentials(identity.file, clientCertificate);
    case 'exec':
      return execCredentials(identity.exec, identity.cluster, env, signal);
    case 'token':
      return fixed(bearer(identity.token, clientCertificate));
    case 'basic':
      return fixed(userAndPassword(identity.username, identity.password, clientCertificate));
    case 'anonymous':
      return fixed(silent(clientCertificate));
  }
}

function fixed(credential: Credential): Credentials {
  return { current: async () => credential, renew: async () => false };
}

interface OpenOptions {
  readonly observe?: Observe | undefined;
  /** Sent to the API server, and part of its audit log. */
  readonly userAgent?: string | undefined;
  /** The maximum number of concurrent connections to each API server. */
  readonly connections?: number | undefined;
  /** The port at which this program itself listens. */
  readonly listensOn?: number | undefined;
  /** The directory of the service account; set only in tests. */
  readonly serviceAccountDirectory?: string | undefined;
}

/** A connection to one API server, from which readers, probers and writers are built. */
export interface OpenedCluster {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly reader: ClusterReader;
  readonly prober: OpenProber;
}

/** Opens a reader for the cluster that kubectl would use with these flags: see {@link openConnection}. */
export async function openCluster(...way: Parameters<typeof openConnection>): Promise<ClusterReader> {
  return (await openConnection(...way)).reader;
}

/**
 * Opens the cluster that kubectl would use with these flags. Runs a credential plugin, but sends no request
 * to the API server. `signal` ends every read: a signal of AbortSignal.timeout as `timeout`, any other as
 * `interrupted`. Throws ConnectionProblem, or ReadError if the signal ends it.
 */
export async function openConnection(
  flags: KubeFlags,
  env: Environment,
  signal?: AbortSignal,
  given: OpenOptions = {},
): Promise<OpenedCluster> {
  const { observe, userAgent = 'kubectl-webhook' } = given;
  const connection = resolveConnection(flags, env, given.serviceAccountDirectory);
  const credentials = credentialsOf(connection, env, signal);
  const first = await credentials.current().catch((error: unknown) => {
    if (!signal?.aborted) throw error;
    const [reason, message] = ending(signal, 'anything');
    throw new ReadError(message, { reason, path: '' });
  });
  const options = { signal, observe, userAgent, connections: given.connections };
  const transport = openTransport(connection, credentials, first, options);
  const at: ClusterReader['at'] = (address) => {
    const there = otherServer(connection, address);
    return there && kubeReader(there, openTransport(there, credentials, first, options));
  };
  return {
    connection,
    transport,
    reader: kubeReader(connection, transport, at),
    prober: async () =>
      (await import('./kube-prober.ts')).kubeProber(transport, connection.fromPod === true, given.listensOn),
  };
}
