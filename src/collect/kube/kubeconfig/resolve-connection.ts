import { existsSync, readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { wantsProxy } from '../../../apiserver/routing/no-proxy.ts';
import type { Environment } from '../../../basics/environment.ts';
import { parseGoDuration } from '../../../basics/time.ts';
import { type ChosenContext, choose } from './choose.ts';
import { type Connection, ConnectionProblem, type ExecCluster } from './connection.ts';
import { identityOf, impersonationHeaders, keyPairOf } from './identity.ts';
import type { KubeFlags } from './kube-flags.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig-file.ts';
import { type LoadedKubeconfig, loadKubeconfig } from './kubeconfig-file.ts';
import { caCertificates, readKubeconfigPem } from './pem.ts';
import { parseServer, parseUrl, showUrl } from './server-url.ts';

/** The directory that the kubelet mounts into every Pod with a service account. */
const serviceAccountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

const entry = 'in-cluster';

/**
 * Returns the kubeconfig. In a Pod with a service account, if nothing else names a cluster, returns the Pod's
 * own cluster in the form of a kubeconfig. Source: client-go/rest/config.go, InClusterConfig, and
 * client-go/tools/clientcmd/client_config.go, inClusterClientConfig.
 */
function withServiceAccount(
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

/**
 * Resolves flags, kubeconfig and environment to one cluster, by kubectl's rules; in a Pod without a
 * kubeconfig, to the Pod's own cluster. Where kubectl would try localhost:8080, throws ConnectionProblem, as
 * for any other problem.
 */
export function resolveConnection(
  flags: KubeFlags,
  env: Environment,
  serviceAccountDirectory?: string,
): Connection {
  const loaded = loadKubeconfig(flags.kubeconfig || undefined, env);
  const config = withServiceAccount(loaded.config, flags, env, serviceAccountDirectory);
  const chosen = choose(config, flags);
  const server =
    chosen.cluster.server ?? (chosen.clusterName === undefined ? env.KUBERNETES_MASTER : undefined);
  if (!server) throw noServer(loaded, chosen);
  const connection = toConnection(server, { chosen, config: loaded.config, flags, env });
  return config === loaded.config ? connection : { ...connection, fromPod: true };
}

function noServer(
  { config, files }: LoadedKubeconfig,
  { contextName, clusterName }: ChosenContext,
): ConnectionProblem {
  if (clusterName !== undefined)
    return new ConnectionProblem(
      `cluster "${clusterName}" of the kubeconfig has no server`,
      'Add its address to the kubeconfig, or give --server.',
    );
  if (contextName !== undefined)
    return new ConnectionProblem(
      `context "${contextName}" of the kubeconfig names no cluster`,
      'Add the cluster to the context, or give --cluster.',
    );
  const contexts = [...config.contexts.keys()].sort();
  if (contexts.length > 0)
    return new ConnectionProblem(
      'no cluster is chosen: the kubeconfig has no current-context',
      `Choose one with --context: ${contexts.join(', ')}`,
    );
  return new ConnectionProblem(
    `no cluster is configured: nothing in ${files.join(', ') || 'KUBECONFIG'}`,
    'Give --kubeconfig FILE, set KUBECONFIG, or give --server URL.',
  );
}

interface ConnectionSources {
  readonly chosen: ChosenContext;
  readonly config: Kubeconfig;
  readonly flags: KubeFlags;
  readonly env: Environment;
}

const defaultPort: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Parses `proxy-url` of a cluster: it applies to every address, including loopback. */
function parseProxyUrl(text: string, cluster: string): URL {
  const url = parseUrl(text);
  if (url && /^(http|https|socks5):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new ConnectionProblem(
    `proxy-url of cluster "${cluster}" is not an http, https or socks5 URL`,
    'Correct proxy-url in the kubeconfig.',
  );
}

/**
 * Returns the proxy for `server` from the environment; undefined: none. It never applies to localhost and
 * loopback addresses. An address that cannot be parsed counts as none. Source:
 * golang.org/x/net/http/httpproxy.
 */
export function proxyFromEnvironment(server: URL, env: Environment): URL | undefined {
  // In a CGI program HTTP_PROXY comes from the request.
  const forHttp = env.REQUEST_METHOD ? undefined : env.HTTP_PROXY || env.http_proxy;
  const setting = server.protocol === 'https:' ? env.HTTPS_PROXY || env.https_proxy : forHttp;
  if (!setting || !isProxied(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  const url = parseUrl(/^[a-z0-9+.-]+:\/\//i.test(setting) ? setting : `http://${setting}`);
  return url && /^(http|https|socks5h?):$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

const isProxied = ({ hostname, port, protocol }: URL, noProxy: string): boolean =>
  wantsProxy(hostname.replace(/^\[|\]$/g, '').toLowerCase(), port || defaultPort[protocol] || '', noProxy);

function toConnection(address: string, { chosen, config, flags, env }: ConnectionSources): Connection {
  const { clusterName = '', cluster, userName = '', user, contextName, context } = chosen;
  const server = parseServer(address);
  const insecure = cluster.insecureSkipTlsVerify ?? false;
  const authority = authorityOf(cluster, clusterName);
  if (insecure && authority !== undefined)
    throw new ConnectionProblem(
      `cluster "${clusterName}" has both a certificate-authority and insecure-skip-tls-verify`,
      'Remove one of the two; kubectl refuses the pair as well.',
    );
  const proxy =
    cluster.proxyUrl === undefined
      ? proxyFromEnvironment(server.url, env)
      : parseProxyUrl(cluster.proxyUrl, clusterName);
  const secure = server.url.protocol === 'https:';
  const known: KubeconfigUser =
    server.username !== '' && user.username === undefined && user.token === undefined
      ? { ...user, username: server.username, password: server.password }
      : user;
  const shown: ExecCluster = {
    server: showUrl(server.url),
    tlsServerName: cluster.tlsServerName,
    insecureSkipTlsVerify: insecure,
    certificateAuthority: authority,
    proxyUrl: cluster.proxyUrl,
    disableCompression: cluster.disableCompression ?? false,
    config: cluster.execConfig,
  };
  return {
    server: server.url,
    context: config.contexts.has(contextName ?? '') ? contextName : undefined,
    namespace: flags.namespace || context.namespace || 'default',
    trust:
      authority === undefined
        ? undefined
        : caCertificates(`certificate-authority of cluster "${clusterName}"`, authority),
    insecureSkipTlsVerify: insecure,
    tlsServerName: cluster.tlsServerName,
    // Credentials are not sent over plain http. Source: clientcmd, DirectClientConfig.ClientConfig.
    identity: secure ? identityOf(known, userName, shown) : { kind: 'anonymous' },
    clientCertificate: secure ? keyPairOf(user, userName) : undefined,
    impersonation: impersonationHeaders({
      user: user.as,
      uid: user.asUid,
      groups: user.asGroups ?? [],
      extra: user.asUserExtra ?? {},
    }),
    proxy,
    gzip: !cluster.disableCompression,
    requestTimeout: requestTimeout(flags['request-timeout']),
  };
}

function authorityOf(cluster: KubeconfigCluster, name: string): string | undefined {
  const what = `certificate-authority of cluster "${name}"`;
  return readKubeconfigPem(what, cluster.certificateAuthorityData, cluster.certificateAuthority);
}

/**
 * Parses `--request-timeout` to milliseconds; undefined: no limit. A whole number without a unit is in
 * seconds. Source: client-go/tools/clientcmd/helpers.go, ParseTimeout.
 */
function requestTimeout(flag: string | undefined): number | undefined {
  if (flag === undefined || flag === '') return undefined;
  const milliseconds = /^\d+$/.test(flag) ? Number(flag) * 1000 : parseGoDuration(flag);
  if (milliseconds === undefined || milliseconds < 0 || milliseconds > 2 ** 31 - 1)
    throw new ConnectionProblem(
      `--request-timeout ${flag} is not a duration`,
      'Give whole seconds or a number with a unit: 30, 30s, 2m, 1h.',
    );
  return milliseconds === 0 ? undefined : Math.ceil(milliseconds);
}
