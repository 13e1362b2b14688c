import type { PodNetwork } from '../network/pod-network.ts';
import type { DemoUser } from './authorization.ts';
import type { ObjectStore } from './object-store.ts';
import type { PodLogs } from './pod-log.ts';

/** The parts of a request that the response depends on. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, still escaped. */
  readonly url: string;
  readonly accept: string;
  /** `Content-Type`; empty: none. */
  readonly contentType: string;
  readonly body: string;
  /** Whether the request upgrades to a WebSocket. */
  readonly upgrade: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Bearer token; undefined for an anonymous request. */
  readonly token: string | undefined;
  /** `Impersonate-User`. */
  readonly as: string | undefined;
  /** The server's own `address:port`. */
  readonly host: string;
}

/** The state of the demo API server. */
export interface ApiState {
  readonly store: ObjectStore;
  readonly logs: () => PodLogs;
  readonly users: readonly DemoUser[];
  readonly network: PodNetwork;
  /** Runs the controllers; called after each write. */
  readonly settle: () => void;
  readonly now: () => Date;
}

/** A resource request, parsed from its path like in k8s.io/apiserver pkg/endpoints/request/requestinfo.go. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const namespaceSubresources = ['status', 'finalize'];

/** Parses a path; undefined if it is not the path of a resource. */
export function resourcePath(path: string): ResourcePath | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const [group = '', version = '', ...rest] = core ? ['', ...parts.slice(1)] : parts.slice(1);
  if (rest.length === 0) return undefined;
  const scoped =
    rest[0] === 'namespaces' && rest.length > 2 && !namespaceSubresources.includes(rest[2] ?? '');
  const namespace = rest[0] === 'namespaces' ? rest[1] : undefined;
  const [plural = '', name, subresource] = scoped ? rest.slice(2) : rest;
  return { group, version, namespace, plural, name, subresource };
}

/** True for the query of a watch of a collection. */
export const isWatch = (query: URLSearchParams): boolean => ['1', 'true'].includes(query.get('watch') ?? '');
