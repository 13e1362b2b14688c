import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClockReading, HttpResponse } from '../facts/probes.ts';
import type { Query } from './cluster-reader.ts';

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
