import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Environment, KubeFlags } from './kube-flags.ts';
import type { Kubeconfig } from './kubeconfig.ts';

/** The directory that the kubelet mounts into every Pod with a service account. */
const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

const entry = 'in-cluster';

/**
 * Returns the kubeconfig. In a Pod with a service account, if nothing else names a cluster, returns the Pod's
 * own cluster in the form of a kubeconfig. Source: client-go/rest/config.go, InClusterConfig, and
 * client-go/tools/clientcmd/client_config.go, inClusterClientConfig.
 */
export function withServiceAccount(
  config: Kubeconfig,
  flags: KubeFlags,
  env: Environment,
  directory = serviceAccountDirectory,
): Kubeconfig {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  const [tokenFile = '', authority = '', namespaceFile = ''] = ['token', 'ca.crt', 'namespace'].map((name) =>
    join(directory, name),
  );
  if (flags.context || config.currentContext || flags.cluster || flags.server) return config;
  if (!host || !port || !existsSync(tokenFile)) return config;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const certificateAuthority = existsSync(authority) ? authority : undefined;
  const ownNamespace = existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined;
  const namespace = env.POD_NAMESPACE || ownNamespace || 'default';
  return {
    clusters: new Map([[entry, { server, certificateAuthority }]]),
    users: new Map([...config.users, [entry, { tokenFile }]]),
    contexts: new Map([[entry, { cluster: entry, user: entry, namespace }]]),
    currentContext: entry,
  };
}
