import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClockReading, HttpResponse } from '../facts/probes.ts';
import type { Snapshot } from '../facts/snapshot.ts';

/** Query parameters of the API: `labelSelector`, `fieldSelector`, `tailLines`; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A complete list, from all its pages. */
export interface ListResult<T> {
  readonly items: readonly T[];
  /** The resourceVersion of the list, from the last page; empty if the list has none. */
  readonly resourceVersion: string;
  /** The number of objects that were dropped, or not read; absent: none. */
  readonly left?: number;
}

/**
 * Reduces each object of a list as soon as its page is read: the schemas of a thousand CRDs need much memory.
 * Undefined drops the object. Reading stops at a page of which no object is kept.
 */
export type Trim<T> = (object: T) => T | undefined;

/** The objects of a watch. `accept` replaces `application/json`. */
export interface WatchRequest {
  /** Of a collection. */
  readonly path: string;
  readonly query: Query;
  readonly accept?: string;
}

/**
 * Reads a cluster. No method writes. Paths are escaped API paths
 * (`/apis/apps/v1/namespaces/shop/deployments`). Objects are returned as the API server sends them: parsed
 * JSON, without conversion. Every method may throw `ReadError`.
 */
export interface ClusterReader {
  /** Base URL of the API server, without credentials. */
  readonly server: string;
  /** The kubeconfig context in use; undefined if there is none (in-cluster, `--server` alone). */
  readonly context: string | undefined;
  /** The namespace of the flag, else of the context, else `default`. */
  readonly namespace: string;
  /**
   * GET of one object. Returns undefined if the API server serves the resource but the object does not exist.
   * Throws `not-served` if the API server does not serve the path. `accept` replaces `application/json`
   * (discovery, PartialObjectMetadata).
   */
  get<T>(path: string, query?: Query, accept?: string): Promise<T | undefined>;
  /**
   * LIST with all its pages; restarted once if the continue token expires (410). With `limit` in the query: only the first
   * page.
   */
  list<T>(path: string, query?: Query, accept?: string, keep?: Trim<T>): Promise<ListResult<T>>;
  /** Returns the response body as text: logs of a Pod (`tailLines`, `previous`, `limitBytes`), `/readyz`. */
  text(path: string, query?: Query): Promise<string>;
  /** Reads the response body line by line, without buffering: `/metrics` has megabytes on a large cluster. */
  lines(path: string, each: (line: string) => void): Promise<void>;
  /**
   * Watches from the `resourceVersion` of the query on, one event per line, until the API server or the signal ends the watch.
   * Absent: the reader's objects do not change.
   */
  watch?(of: WatchRequest, each: (line: string) => void, ended: AbortSignal): Promise<void>;
  /**
   * Opens another API server of the same cluster, at `address:port`, with the same user. Undefined if
   * credentials cannot be sent there safely. Must be closed.
   */
  at?(address: string): ClusterReader | undefined;
  /** Recorded facts, used instead of a cluster: a run uses only the facts that it would read. */
  readonly recorded?: Snapshot;
  /** Facts that are used instead of a cluster, unchanged. */
  readonly given?: Snapshot;
  /**
   * The deadline of the run in terms of performance.now(), earlier after Ctrl-C; checks then run on the facts
   * read so far. Absent: no deadline.
   */
  until?(): number;
  /** Closes keep-alive connections, so that the process can exit. Later reads open new ones. */
  close(): void;
}

/**
 * Why a read failed. `unauthorized`, `unreachable` and `not-kubernetes` concern the connection (exit code 2
 * if the first read fails with one of them). `interrupted` is Ctrl-C. `timeout` is the timeout of one request
 * or of the run.
 */
export type ReadErrorReason =
  | 'forbidden'
  | 'unauthorized'
  | 'timeout'
  /** An object that no API server returns. */
  | 'malformed'
  | 'unreachable'
  | 'not-served'
  | 'server-error'
  | 'not-kubernetes'
  /** Exceeds a limit (basics/limits.ts). */
  | 'too-large'
  | 'interrupted'
  | 'rate-limited';

interface ReadErrorDetails {
  readonly reason: ReadErrorReason;
  /** Path of the request, without query. */
  readonly path: string;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** `message` of the API server's Status object, else the text of the response: not safe for a terminal. */
  readonly serverMessage?: string;
  /** The response was a Status object, so it is from the API server: kubelets and proxies do not send one. */
  readonly byApiServer?: boolean;
}

/** A failed read. Its message is one sentence for users and never contains a credential. */
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

/** Converts response headers to the form that facts use. */
export const plainHeaders = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** A server-side dry run. This type cannot express a real write. */
export interface DryRunRequest {
  /**
   * `create`: POST of `object` to a collection. `update`: PUT of it. `patch`: a merge patch of one object,
   * empty unless `object` is given.
   */
  readonly verb: 'create' | 'update' | 'patch';
  /** The escaped API path of the collection or object. */
  readonly path: string;
  /** The object to create or update, or the merge patch. */
  readonly object?: object;
}

/**
 * Sends probes through an API server. Each method makes one attempt without retry, ends with `signal`, and
 * throws ReadError if the API server does not respond or refuses the request. None of them changes the
 * cluster.
 */
export interface ClusterProber {
  /**
   * Opens a port-forward: a TCP connection from the kubelet to localhost of the Pod. It opens before the
   * kubelet connects to the port: a refused connection ends the stream with a ForwardError. The caller must
   * destroy the stream.
   */
  portForward(namespace: string, pod: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /**
   * Sends a GET to any path of the API server, including its proxies; returns any status. `accept` replaces
   * `application/json`.
   */
  get(path: string, signal: AbortSignal, accept?: string): Promise<HttpResponse>;
  /** Sends a server-side dry run: always with `dryRun=All`. */
  dryRun(request: DryRunRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** This program runs in a Pod of the cluster, so it can connect to Pod IPs. */
  readonly amongPods?: boolean;
  clock(): ClockReading | undefined;
  /** Aborted when the run ends. */
  readonly ended: AbortSignal | undefined;
}

/** Opens a prober. Its code is loaded on demand. */
export type OpenProber = () => Promise<ClusterProber>;

/** The query parameters of {@link ClusterProber.dryRun}. */
export const dryRunQuery: Query = { dryRun: 'All', fieldManager: 'kubectl-webhook' };
