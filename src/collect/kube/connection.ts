import type { ExecConfig } from './kubeconfig.ts';

/** Who we are to the API server. Holds credentials: never to be logged or thrown. */
export type Identity =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'token-file'; readonly file: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly exec: ExecConfig; readonly cluster: ExecCluster };

/** What a credential plugin may be told about the cluster; `spec.cluster` of ExecCredential. */
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

/** Everything needed to talk to one cluster; files read, flags applied, nothing opened yet. */
export interface Connection {
  /** Without user information, query and trailing slash; may have a path (an API server behind a prefix). */
  readonly server: URL;
  readonly context: string | undefined;
  readonly namespace: string;
  /** Trusted certificates as PEM; undefined: those of the system. */
  readonly trust: readonly string[] | undefined;
  readonly insecureSkipTlsVerify: boolean;
  /** The name that the server's certificate must bear, where it is not the host of the URL. */
  readonly tlsServerName: string | undefined;
  readonly identity: Identity;
  readonly clientCertificate: KeyPair | undefined;
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
  readonly proxy: URL | undefined;
  readonly gzip: boolean;
  /** Milliseconds until a connection must stand; undefined: as long as in Go. */
  readonly connectWithin?: number;
  /** Milliseconds for one request; undefined: no limit of its own. */
  readonly requestTimeout: number | undefined;
  /** Found as a Pod finds its own cluster. */
  readonly fromPod?: true;
}

/**
 * The way to the cluster cannot be built: a kubeconfig that cannot be used, a credential plugin that fails, no cluster at
 * all. The message says what is wrong and where, `advice` what to do; neither ever holds a credential.
 */
export class ConnectionProblem extends Error {
  readonly advice: string;
  /** No cluster to talk to: nothing was judged. */
  readonly exitCode = 2;
  constructor(message: string, advice: string) {
    super(message);
    this.name = 'ConnectionProblem';
    this.advice = advice;
  }
}
