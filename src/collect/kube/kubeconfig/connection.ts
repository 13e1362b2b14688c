/** How this program authenticates to the API server. Holds credentials: must not be logged or thrown. */
export type Identity =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'token-file'; readonly file: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly exec: ExecConfig; readonly cluster: ExecCluster };

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

/** The cluster information that a credential plugin can receive; `spec.cluster` of ExecCredential. */
export interface ExecCluster {
  readonly server: string;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** PEM. */
  readonly certificateAuthority: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  readonly config: unknown;
}

/** A certificate and its key, as PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** Everything needed to connect to one cluster: files are read, flags applied, no connection is open. */
export interface Connection {
  /** Without user information, query and trailing slash; may have a path (an API server behind a prefix). */
  readonly server: URL;
  readonly context: string | undefined;
  readonly namespace: string;
  /** Trusted certificates as PEM; undefined: those of the system. */
  readonly trust: readonly string[] | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** The name that the server's certificate must contain, if it is not the host of the URL. */
  readonly tlsServerName: string | undefined;
  readonly identity: Identity;
  readonly clientCertificate: KeyPair | undefined;
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
  readonly proxy: URL | undefined;
  readonly gzip: boolean;
  /** Timeout for establishing a connection in milliseconds; undefined: Go's default. */
  readonly connectWithin?: number;
  /** Timeout of one request in milliseconds; undefined: none. */
  readonly requestTimeout: number | undefined;
  /** From the service account of the Pod in which this program runs. */
  readonly fromPod?: true;
}

/**
 * A connection to the cluster cannot be configured: the kubeconfig cannot be used, a credential plugin fails,
 * or there is no cluster. The message states the problem and its place, `advice` the fix; neither contains a
 * credential.
 */
export class ConnectionProblem extends Error {
  readonly advice: string;
  /** No cluster was examined. */
  readonly exitCode = 2;
  constructor(message: string, advice: string) {
    super(message);
    this.name = 'ConnectionProblem';
    this.advice = advice;
  }
}
