import type { Connection } from './connection.ts';

/** The name that every API server's certificate bears: what Pods of the cluster call it. */
const commonName = 'kubernetes.default.svc';

/** Milliseconds: it is near, or out of reach. */
const connectWithin = 1_000;
const requestTimeout = 10_000;

/**
 * The way to another API server of the same cluster. Who it is shows by the cluster's own authorities and the name that all
 * of them bear, for whoever may write EndpointSlices chooses the address; undefined where the kubeconfig verifies nothing.
 */
export function otherServer(connection: Connection, address: string): Connection | undefined {
  if (connection.server.protocol !== 'https:' || connection.insecureSkipTlsVerify) return undefined;
  if (!URL.canParse(`https://${address}`)) return undefined;
  return {
    ...connection,
    server: new URL(`https://${address}`),
    tlsServerName: connection.tlsServerName ?? commonName,
    connectWithin,
    requestTimeout: Math.min(connection.requestTimeout ?? requestTimeout, requestTimeout),
  };
}
