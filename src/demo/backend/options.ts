/** Serving certificate and key, PEM. */
export interface ServedPair {
  readonly cert: string;
  readonly key: string;
}

/** Responses to a review. All but the first three violate the contract of admission webhooks. */
export const answers = [
  'allow',
  'deny',
  /** Allows, with `patch`. */
  'patch',
  /** Sends `status` and `body`, with the uid of the review for `$uid`. */
  'raw',
  'empty',
  'not-json',
  'no-response',
  'wrong-uid',
  'wrong-kind',
  'redirect',
] as const;
type AnswerKind = (typeof answers)[number];

/** Failures of a connection by stage. */
export const faults = [
  'hang-tls',
  'hang-http',
  'close-tls',
  'close-http',
  'reset-tls',
  'reset-http',
] as const;
type DemoFault = (typeof faults)[number];

/**
 * What a Pod does not do unless it is the leader. `reload`: reload its certificate. `cache`: respond before
 * its own cache is filled, see `warmUp`. `tenants`: know the tenants that objects must name in the label
 * example.com/tenant.
 */
export const gates = [
  'listener',
  'answer',
  'readiness',
  'certificate',
  'reload',
  'cache',
  'tenants',
] as const;
type LeaderGate = (typeof gates)[number];

/** Values of the options that limit the TLS versions, as node:tls names them. */
export const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
type TlsVersion = (typeof tlsVersions)[number];

/** How a backend behaves; by default it allows every request. */
export interface BackendOptions {
  /** Undefined: plain HTTP on the port where HTTPS is expected. */
  readonly certificate?: ServedPair;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly bind?: string;
  readonly answer?: AnswerKind;
  /** A JSON patch; default: one that adds the label `patched-by-webhook`. */
  readonly patch?: readonly object[];
  readonly message?: string;
  /** For `raw`; default: 200 and empty. */
  readonly status?: number;
  readonly body?: string;
  /** Milliseconds before a response. */
  readonly delay?: number;
  readonly fault?: DemoFault;
  /** The path of the requests with this response or fault; others are allowed. Default: all paths. */
  readonly atPath?: string;
  readonly gate?: LeaderGate;
  /** Milliseconds after the start in which reviews are denied, if no leader fills the cache; default: 0. */
  readonly warmUp?: number;
  /** Whether it is the leader at the start; default: true. */
  readonly leader?: boolean;
  /** Whether /readyz returns 200 (otherwise 503); default: true. */
  readonly ready?: boolean;
  /**
   * Milliseconds after which an idle keep-alive connection is closed; default: 120 s, longer than the API
   * server keeps its own. 0: no keep-alive, and each response has `Connection: close`.
   */
  readonly idleTimeout?: number;
  /** PEM of a CA; client certificates that it signed are required. */
  readonly clientCa?: string;
  readonly minTls?: TlsVersion;
  readonly maxTls?: TlsVersion;
  /** GROUP/VERSION to serve as an aggregated API, with one resource `widgets` without objects. */
  readonly api?: string;
  /** Called for every request, for a log. */
  readonly onRequest?: (line: string) => void;
}

/** A running backend. */
export interface DemoBackend {
  /** The port; 0 while a gated listener waits for leadership. */
  readonly port: number;
  /** Number of requests answered or dropped since the start, without probes of /readyz and /healthz. */
  readonly requests: number;
  setReady(ready: boolean): void;
  setLeader(leader: boolean): Promise<void>;
  /** Serves this certificate to new connections. */
  renew(pair: ServedPair): void;
  close(): Promise<void>;
  /** Accepts no new connections, closes idle ones, others after their responses, like Server.Shutdown. */
  drain(): Promise<void>;
}
