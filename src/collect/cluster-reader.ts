import type { Snapshot } from '../facts/snapshot.ts';

/** Query parameters of the API: `labelSelector`, `fieldSelector`, `tailLines`. Undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ListResult<T> {
  readonly items: readonly T[];
  /** The resourceVersion of the list, from the last page; empty if there is none. */
  readonly resourceVersion: string;
  /** Objects that were not kept, or not read any more; absent: none. */
  readonly left?: number;
}

/**
 * A read of a cluster. Nothing here writes. Paths are the API's own (`/apis/apps/v1/namespaces/shop/deployments`),
 * already escaped; answers come in the API's own shape, unparsed beyond JSON. Every call may throw `ReadError`.
 */
/**
 * Reduces each object of a list as soon as its page is read: the schemas of a thousand CRDs need much memory. Undefined
 * drops the object. A page without kept objects ends the list.
 */
export type Keep<T> = (object: T) => T | undefined;

export interface ClusterReader {
  /** Base URL of the API server, without credentials. */
  readonly server: string;
  /** The kubeconfig context in use; undefined without one (in-cluster, `--server` alone). */
  readonly context: string | undefined;
  /** The flag's namespace, else the context's, else `default`. */
  readonly namespace: string;
  /**
   * GET of one object. Undefined: the API server knows the resource and has no object of that name. A path that the
   * server does not know throws `not-served`. `accept` replaces `application/json` (discovery, PartialObjectMetadata).
   */
  get<T>(path: string, query?: Query, accept?: string): Promise<T | undefined>;
  /** LIST with all its pages; restarted once when its continue token expired (410). */
  list<T>(path: string, query?: Query, accept?: string, keep?: Keep<T>): Promise<ListResult<T>>;
  /** The body as text: logs of a Pod (`tailLines`, `previous`, `limitBytes`), `/readyz`. */
  text(path: string, query?: Query): Promise<string>;
  /** Reads the body line by line, without buffering: `/metrics` has megabytes on a large cluster. */
  lines(path: string, each: (line: string) => void): Promise<void>;
  /** Watches from `resourceVersion` on, one event per line, until the server or the signal ends it. Absent: nothing changes. */
  watch?(path: string, query: Query, each: (line: string) => void, ended: AbortSignal): Promise<void>;
  /**
   * Opens another API server of the same cluster, at `address:port`, as the same user. Undefined if credentials cannot be
   * sent there safely. Must be closed.
   */
  at?(address: string): ClusterReader | undefined;
  /** Recorded facts instead of a cluster: a run uses those that it would read. */
  readonly recorded?: Snapshot;
  /** Facts instead of a cluster, used as they are. */
  readonly given?: Snapshot;
  /** The end of the run in terms of performance.now(), earlier with Ctrl-C; known facts are judged then. Absent: none. */
  until?(): number;
  /** Closes keep-alive connections, so that the process can exit. Later reads open new ones. */
  close(): void;
}

/**
 * Why a read failed. `unauthorized`, `unreachable` and `not-kubernetes` are about the whole connection (exit code 2 when
 * the first read says so); `interrupted` is the user's Ctrl-C; `timeout` is one request's or the whole run's time.
 */
export type ReadErrorReason =
  | 'forbidden'
  | 'unauthorized'
  | 'timeout'
  /** An object that no API server sends. */
  | 'malformed'
  | 'unreachable'
  | 'not-served'
  | 'server-error'
  | 'not-kubernetes'
  /** Larger than a limit (facts/limits.ts). */
  | 'too-large'
  | 'interrupted'
  | 'rate-limited';

/** Details of a failed read. */
export interface ReadErrorDetails {
  readonly reason: ReadErrorReason;
  /** Path of the request, without its query. */
  readonly path: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** `message` of the API server's Status object, else the plain text of the answer: not safe for a terminal. */
  readonly serverMessage?: string;
  /** The response was a Status object, so it is from the API server itself: kubelets and proxies do not send one. */
  readonly byApiServer?: boolean;
}

/** A failed read. Its message is one sentence for people and never contains a credential. */
export class ReadError extends Error {
  readonly reason: ReadErrorReason;
  readonly path: string;
  readonly status: number | undefined;
  readonly serverMessage: string | undefined;
  readonly byApiServer: boolean;
  constructor(message: string, details: ReadErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ReadError';
    this.reason = details.reason;
    this.path = details.path;
    this.status = details.status;
    this.serverMessage = details.serverMessage;
    this.byApiServer = details.byApiServer === true;
  }
}
