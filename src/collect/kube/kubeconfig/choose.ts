import { groupBy } from '../../../basics/collections.ts';
import { ConnectionProblem } from './connection.ts';
import type { KubeFlags } from './kube-flags.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from './kubeconfig-file.ts';

/** The entries of a kubeconfig that a run uses, flags applied. */
export interface ChosenContext {
  readonly contextName: string | undefined;
  readonly context: KubeconfigContext;
  readonly clusterName: string | undefined;
  readonly cluster: KubeconfigCluster;
  readonly userName: string | undefined;
  readonly user: KubeconfigUser;
}

/**
 * Selects context, cluster and user by name. A name in a flag or a context must exist. Source:
 * client-go/tools/clientcmd/client_config.go, getContext, getCluster, getAuthInfo.
 */
export function choose(config: Kubeconfig, flags: KubeFlags): ChosenContext {
  const contextName = flags.context || config.currentContext;
  const context = contextName === undefined ? {} : contextNamed(config, contextName, flags);
  const clusterName = flags.cluster || context.cluster;
  const userName = flags.user || context.user;
  const cluster = clusterName === undefined ? undefined : config.clusters.get(clusterName);
  const user = userName === undefined ? undefined : config.users.get(userName);
  if (clusterName !== undefined && !cluster && (flags.cluster || !flags.server))
    throw unknown('cluster', clusterName, config.clusters, flags.cluster ? undefined : contextName);
  if (userName !== undefined && !user && (flags.user || !bringsCredentials(flags)))
    throw unknown('user', userName, config.users, flags.user ? undefined : contextName);
  return {
    contextName,
    context,
    clusterName,
    cluster: withClusterFlags(cluster ?? {}, flags),
    userName,
    user: withUserFlags(user ?? {}, flags),
  };
}

function contextNamed(config: Kubeconfig, name: string, flags: KubeFlags): KubeconfigContext {
  const context = config.contexts.get(name);
  if (context) return context;
  const contexts = namesOf(config.contexts);
  if (flags.context)
    throw new ConnectionProblem(`the kubeconfig has no context "${name}"`, `Its contexts: ${contexts}`);
  throw new ConnectionProblem(
    `current-context of the kubeconfig is "${name}", which is not among its contexts`,
    `Choose one with --context: ${contexts}`,
  );
}

function unknown(
  kind: 'cluster' | 'user',
  name: string,
  known: ReadonlyMap<string, unknown>,
  contextName: string | undefined,
): ConnectionProblem {
  const by = contextName === undefined ? '' : `, which its context "${contextName}" names`;
  return new ConnectionProblem(
    `the kubeconfig has no ${kind} "${name}"${by}`,
    `Choose one with --${kind}, or correct the kubeconfig. It has: ${namesOf(known)}`,
  );
}

function namesOf(entries: ReadonlyMap<string, unknown>): string {
  return [...entries.keys()].sort().join(', ') || '(none)';
}

function bringsCredentials(flags: KubeFlags): boolean {
  return Boolean(flags.token || flags['client-certificate']);
}

/** A flag about trust replaces all trust settings of the kubeconfig; `--server` drops its tls-server-name. */
function withClusterFlags(cluster: KubeconfigCluster, flags: KubeFlags): KubeconfigCluster {
  const authority = flags['certificate-authority'] || undefined;
  const insecure = flags['insecure-skip-tls-verify'];
  const tlsServerName = flags['tls-server-name'] || undefined;
  return {
    ...cluster,
    ...(flags.server ? { server: flags.server } : {}),
    ...(flags.server || tlsServerName ? { tlsServerName } : {}),
    ...(authority || insecure
      ? {
          certificateAuthority: authority,
          certificateAuthorityData: undefined,
          insecureSkipTlsVerify: insecure ?? false,
        }
      : {}),
  };
}

function withUserFlags(user: KubeconfigUser, flags: KubeFlags): KubeconfigUser {
  const certificate = flags['client-certificate'];
  const key = flags['client-key'];
  const groups = flags['as-group'] ?? [];
  const extra = flags['as-user-extra'] ?? [];
  return {
    ...user,
    ...(flags.token ? { token: flags.token, tokenFile: undefined } : {}),
    ...(certificate ? { clientCertificate: certificate, clientCertificateData: undefined } : {}),
    ...(key ? { clientKey: key, clientKeyData: undefined } : {}),
    ...(flags.as ? { as: flags.as } : {}),
    ...(flags['as-uid'] ? { asUid: flags['as-uid'] } : {}),
    ...(groups.length > 0 ? { asGroups: groups } : {}),
    ...(extra.length > 0 ? { asUserExtra: extraValues(extra) } : {}),
    ...(flags.username ? { username: flags.username } : {}),
    ...(flags.password ? { password: flags.password } : {}),
  };
}

/** Parses `KEY=VALUE` flags into values by key, in order. Throws ConnectionProblem for one without key. */
function extraValues(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at <= 0)
      throw new ConnectionProblem(`invalid --as-user-extra ${JSON.stringify(text)}`, 'It must be KEY=VALUE.');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const byKey = groupBy(pairs, ([key]) => key);
  return Object.fromEntries([...byKey].map(([key, all]) => [key, all.map(([, value]) => value)]));
}
