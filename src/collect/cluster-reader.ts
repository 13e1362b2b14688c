import type { Snapshot } from '../facts/snapshot.ts';

/** Query parameters as the API spells them: `labelSelector`, `fieldSelector`, `tailLines`. An undefined one is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ListResult<T> {
  readonly items: readonly T[];
  /** Of the collection, from the last page; empty where the server gave none. */
  readonly resourceVersion: string;
  /** Objects that were not kept, or not read any more; absent: none. */
  readonly left?: number;
}

/**
 * A read of a cluster. Nothing here writes. Paths are the API's own (`/apis/apps/v1/namespaces/shop/deployments`),
 * already escaped; answers come in the API's own shape, unparsed beyond JSON. Every call may throw `ReadError`.
 */
/**
 * What is kept of each object of a list, as soon as its page was read: the schemas of a thousand CRDs fill a memory. Undefined:
 * nothing; a page of which nothing is kept is the last one that is read.
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
  /** The body line by line as it arrives, nothing kept: `/metrics`, which is megabytes on a large cluster. */
  lines(path: string, each: (line: string) => void): Promise<void>;
  /** A watch from `resourceVersion` on, an event per line, until the server or the signal ends it. Absent: nothing changes. */
  watch?(path: string, query: Query, each: (line: string) => void, ended: AbortSignal): Promise<void>;
  /**
   * The same cluster through another of its API servers, at `address:port`, as the same user. Undefined where credentials
   * cannot be sent there safely. Has to be closed.
   */
  at?(address: string): ClusterReader | undefined;
  /** In place of a cluster what was read of one before: a run takes of it what it would read. */
  readonly recorded?: Snapshot;
  /** In place of a cluster all that is known. */
  readonly given?: Snapshot;
  /** By performance.now(), the end of the run, which comes sooner with Ctrl-C: what is known by then is judged. Absent: none. */
  until?(): number;
  /** Ends kept connections, so that the process can exit. Reads after it open new ones. */
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
  /** More than is taken (facts/limits.ts). */
  | 'too-large'
  | 'interrupted'
  | 'rate-limited';

/** What is known of a read that failed. */
export interface ReadErrorDetails {
  readonly reason: ReadErrorReason;
  /** Path of the request, without its query. */
  readonly path: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** `message` of the API server's Status object, else the plain text of the answer: not safe for a terminal. */
  readonly serverMessage?: string;
  /** True: the answer was a Status object, so the API server itself gave it; a kubelet or a proxy does not write one. */
  readonly byApiServer?: boolean;
}

/** One read that did not succeed. Its message is one sentence for people and never holds a credential. */
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
