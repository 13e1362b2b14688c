/** Serving certificate and key, PEM; or the folder that holds tls.crt and tls.key, as a mounted Secret does. */
export type ServingCertificateKind =
  | { readonly cert: string; readonly key: string }
  | { readonly folder: string };

/** What a review is answered with. All but the first three break the contract of admission webhooks. */
export const answers = [
  'allow',
  'deny',
  /** Allows, with `patch`. */
  'patch',
  /** `status` and `body` as they are. */
  'raw',
  'empty',
  'not-json',
  'no-response',
  'wrong-uid',
  'wrong-kind',
  'redirect',
] as const;
export type AnswerKind = (typeof answers)[number];

/** How a connection goes wrong, and at which stage. `hang-accept`: the port takes no connection and refuses none. */
export const faults = [
  'hang-accept',
  'hang-tls',
  'hang-http',
  'close-tls',
  'close-http',
  'reset-tls',
  'reset-http',
] as const;
export type DemoFault = (typeof faults)[number];

/**
 * What a replica that is not the leader leaves out; `reload`: of its certificate; `cache`: until it has filled its own, see `warmUp`; `tenants`: it knows
 * none of the tenants that objects must name in the label example.com/tenant.
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
export type LeaderGate = (typeof gates)[number];

export const tlsVersions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
export type TlsVersion = (typeof tlsVersions)[number];

export interface BackendOptions {
  /** Undefined: plain HTTP on the port where HTTPS is expected. */
  readonly certificate?: ServingCertificateKind;
  /** Takes up files that changed in the certificate's folder; true by default. */
  readonly reload?: boolean;
  /** 0 by default: any free one. */
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly bind?: string;
  readonly answer?: AnswerKind;
  /** A JSON patch; one that adds the label `patched-by-webhook` by default. */
  readonly patch?: readonly object[];
  /** Sentence of a denial. */
  readonly message?: string;
  /** For the answer `raw`; 200 and empty by default. */
  readonly status?: number;
  readonly body?: string;
  /** Milliseconds before an answer. */
  readonly delay?: number;
  readonly fault?: DemoFault;
  readonly gate?: LeaderGate;
  /** Milliseconds after the start for which a cache that no leader fills is empty: reviews are denied; none by default. */
  readonly warmUp?: number;
  /** Whether it leads at the start; true by default. */
  readonly leader?: boolean;
  /** Port of a plain HTTP server with /readyz and /healthz; none by default. /readyz is also on the main port. */
  readonly readinessPort?: number;
  /** Whether /readyz says 200 (otherwise 503); true by default. */
  readonly ready?: boolean;
  /** Milliseconds after which a kept connection without requests is closed; 120 s by default, which is longer than the API server keeps its own; 0: none is kept, and each answer says so. */
  readonly idleTimeout?: number;
  /** PEM; client certificates signed by it are demanded. */
  readonly clientCa?: string;
  readonly minTls?: TlsVersion;
  readonly maxTls?: TlsVersion;
  /** GROUP/VERSION that it serves as an aggregated API, with one resource `widgets` and no objects. */
  readonly api?: string;
  /** Told of every request, for a log. */
  readonly onRequest?: (line: string) => void;
}

export interface DemoBackend {
  /** Where it listens; 0 while a gated listener waits for leadership. */
  readonly port: number;
  readonly readinessPort: number | undefined;
  /** Requests answered or dropped since the start, probes of /readyz and /healthz left out. */
  readonly requests: number;
  setReady(ready: boolean): void;
  setLeader(leader: boolean): Promise<void>;
  /** Ends all connections. */
  close(): Promise<void>;
  /** Takes no new connections, ends idle ones, and the others with their answers, as Go's Server.Shutdown does. */
  drain(): Promise<void>;
}
