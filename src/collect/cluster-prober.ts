import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ClockReading, HttpResponse } from '../facts/probes.ts';
import type { Query } from './cluster-reader.ts';

/** Headers as a fact holds them. */
export const plainHeaders = (headers: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** A write that the API server carries out up to the moment of storing it. Nothing here can ask for the real one. */
export interface DryRunRequest {
  /**
   * `create`: POST of `object` to a collection. `update`: PUT of it. `patch`: a merge patch of one object, empty unless
   * `object` is given.
   */
  readonly verb: 'create' | 'update' | 'patch';
  /** Of the collection or object: the API's own path, escaped. */
  readonly path: string;
  /** What is created, put in place, or merged. */
  readonly object?: object;
}

/**
 * Ways through an API server to what stands behind it. Everything here is one attempt with no repetition, ends with
 * `signal`, and throws ReadError where the API server itself could not be asked or refused. Nothing changes the cluster.
 */
export interface ClusterProber {
  /**
   * A TCP connection to a port of a Pod, made by its kubelet to the Pod's own loopback. It stands before the port was
   * tried: a refusal comes as the stream's ForwardError. The caller destroys the stream.
   */
  portForward(namespace: string, pod: string, port: number, signal: AbortSignal): Promise<Duplex>;
  /**
   * GET of any path of the API server, the proxies' among them: the answer of whatever status. `accept` replaces
   * `application/json`.
   */
  get(path: string, signal: AbortSignal, accept?: string): Promise<HttpResponse>;
  /** Always with `dryRun=All`. */
  dryRun(request: DryRunRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** This is a Pod of the cluster, and nothing stands between it and the addresses of others: they mean the same here. */
  readonly amongPods?: boolean;
  clock(): ClockReading | undefined;
  /** Ends when the whole run does. */
  readonly ended: AbortSignal | undefined;
}

/** Opens a prober; what it is made of is loaded then, so that whoever probes nothing pays nothing. */
export type OpenProber = () => Promise<ClusterProber>;

/** Query of {@link ClusterProber.dryRun}. */
export const dryRunQuery: Query = { dryRun: 'All', fieldManager: 'kubectl-webhook' };
