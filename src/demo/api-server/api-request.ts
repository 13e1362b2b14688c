import type { PodNetwork } from '../network/pod-network.ts';
import type { DemoUser } from './authorization.ts';
import type { ObjectStore } from './object-store.ts';
import type { PodLogs } from './pod-log.ts';

/** One request, as far as an answer depends on it. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, still escaped. */
  readonly url: string;
  readonly accept: string;
  /** `Content-Type`; empty: none. */
  readonly contentType: string;
  readonly body: string;
  /** Whether a WebSocket is asked for. */
  readonly upgrade: boolean;
  /** Aborted when whoever asked has gone. */
  readonly signal: AbortSignal;
  /** Bearer token; undefined for an anonymous request. */
  readonly token: string | undefined;
  /** `Impersonate-User`. */
  readonly as: string | undefined;
  /** The server's own `address:port`. */
  readonly host: string;
}

/** What the demo API server answers from. */
export interface ApiState {
  readonly store: ObjectStore;
  readonly logs: PodLogs;
  readonly users: readonly DemoUser[];
  readonly network: PodNetwork;
  /** The cluster's clock. */
  readonly now: () => Date;
}
