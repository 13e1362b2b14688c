import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Environment } from './kube-flags.ts';

/** What the kubelet mounts into every Pod that has a service account. */
const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The way to the API server from within a Pod. */
export interface InCluster {
  readonly server: string;
  readonly tokenFile: string;
  readonly certificateAuthority: string | undefined;
  readonly namespace: string;
}

/**
 * Undefined when this is no Pod with a service account. Source: client-go/rest/config.go, InClusterConfig, and
 * client-go/tools/clientcmd/client_config.go, inClusterClientConfig.
 */
export function inCluster(env: Environment, directory = serviceAccountDirectory): InCluster | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const tokenFile = join(directory, 'token');
  if (!host || !port || !existsSync(tokenFile)) return undefined;
  const certificateAuthority = join(directory, 'ca.crt');
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tokenFile,
    certificateAuthority: existsSync(certificateAuthority) ? certificateAuthority : undefined,
    namespace: env.POD_NAMESPACE || namespaceIn(join(directory, 'namespace')) || 'default',
  };
}

function namespaceIn(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
