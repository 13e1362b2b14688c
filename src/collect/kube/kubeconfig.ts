/** One entry of `clusters`. Paths are absolute. */
export interface KubeconfigCluster {
  readonly server?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly certificateAuthority?: string | undefined;
  /** Base64 of PEM. */
  readonly certificateAuthorityData?: string | undefined;
  readonly proxyUrl?: string | undefined;
  readonly disableCompression?: boolean | undefined;
  /**
   * Extension `client.authentication.k8s.io/exec`: passed to a credential plugin with `provideClusterInfo`.
   */
  readonly execConfig?: unknown;
}

/** `exec` of a user. The command is absolute if it has a directory. */
export interface ExecConfig {
  readonly apiVersion: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string | undefined;
  readonly interactiveMode: string | undefined;
  readonly provideClusterInfo: boolean;
}

/** One entry of `users`. Holds credentials: must not be logged or thrown. Paths are absolute. */
export interface KubeconfigUser {
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly clientCertificate?: string | undefined;
  /** Base64 of PEM, like `clientKeyData`. */
  readonly clientCertificateData?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly clientKeyData?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroups?: readonly string[] | undefined;
  readonly asUserExtra?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly exec?: ExecConfig | undefined;
  readonly authProvider?: AuthProviderConfig | undefined;
}

/** `auth-provider` of a user: the predecessor of `exec`. */
export interface AuthProviderConfig {
  readonly name: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** One entry of `contexts`. */
export interface KubeconfigContext {
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
}

/** One kubeconfig file, or several merged ones. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly currentContext: string | undefined;
}

/**
 * Merges several files: the first file that defines a cluster, user or context provides all of its fields;
 * the first non-empty `current-context` is used. Source: client-go/tools/clientcmd/loader.go,
 * ClientConfigLoadingRules.Load.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: firstWins(configs.map(({ clusters }) => clusters)),
    users: firstWins(configs.map(({ users }) => users)),
    contexts: firstWins(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
  };
}

function firstWins<T>(maps: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  return new Map(maps.toReversed().flatMap((map) => [...map]));
}
