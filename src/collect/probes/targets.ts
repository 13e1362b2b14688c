import { type BackendEndpoint, endpointsOf } from '../../apiserver/routing/endpoints.ts';
import { hostPort } from '../../apiserver/routing/host-port.ts';
import { meantPortOf, servicePortOf } from '../../apiserver/routing/route.ts';
import type { ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';

/** A Pod or address to which the Service routes. */
export interface ReplicaTarget {
  readonly namespace: string;
  /** Absent if no Pod is known for the address. */
  readonly pod?: string;
  readonly address: string;
  readonly port: number;
  /** `address:port`. */
  readonly endpoint: string;
  readonly ready: boolean;
}

type TargetFacts = Pick<Facts, 'services' | 'endpointSlices'>;

/** The maximum number of Pods that are probed for a webhook or APIService. */
export const mostReplicas = 20;

const targetOf = (endpoint: BackendEndpoint, namespace: string): ReplicaTarget => {
  const { pod, address, port, ready, terminating } = endpoint;
  return {
    namespace,
    ...(pod?.namespace === namespace ? { pod: pod.name } : {}),
    address,
    port,
    endpoint: hostPort(address, port),
    ready: ready && !terminating,
  };
};

/** A Pod with addresses of two families counts once. */
const once = (targets: readonly ReplicaTarget[]): readonly ReplicaTarget[] => {
  const found = new Map<string, ReplicaTarget>();
  for (const target of targets) {
    const key = target.pod === undefined ? target.endpoint : `${target.pod} ${target.port}`;
    if (!found.has(key)) found.set(key, target);
  }
  return [...found.values()];
};

/**
 * Returns the Pods behind the Service's port, ready ones first; or why they are unknown. None if the Service
 * or the port does not exist.
 */
export function targetsOf(callout: ServiceBacked, facts: TargetFacts): readonly ReplicaTarget[] | Unread {
  const { namespace, name, port } = callout.client.service;
  const key = keyOf({ namespace, name });
  const unread = facts.services.why(key) ?? facts.endpointSlices.why(key);
  if (unread !== undefined) return unread;
  const service = facts.services.get(key);
  if (service === undefined) return [];
  const slices = facts.endpointSlices.get(key) ?? [];
  // An API server that routes to endpoints ignores the protocol; kube-proxy does not.
  const ports = new Set([meantPortOf(service, port), servicePortOf(service, port)]);
  const targets = [...ports]
    .flatMap((servicePort) => (servicePort === undefined ? [] : endpointsOf(service, servicePort, slices)))
    .filter(({ family }) => family !== 'FQDN')
    .map((endpoint) => targetOf(endpoint, namespace));
  return [...once(targets)].sort((a, b) => Number(b.ready) - Number(a.ready));
}

/** Host and port of a webhook's URL; undefined if it is not an https URL. */
export function urlAddress(url: string): { readonly host: string; readonly port: number } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:' || hostname === '') return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) };
}
