import { isLoopback, type ServiceReference } from '../../facts/callout.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Service, ServicePort } from '../../facts/objects/service.ts';
import type { RoutingMode } from '../../facts/snapshot.ts';
import { behaves } from '../server-version.ts';
import { type BackendEndpoint, endpointsOf, usable } from './endpoints.ts';
import { hostPort } from './host-port.ts';

/** An address that the API server connects to. */
export interface DialTarget {
  readonly kind: 'dials';
  /**
   * `cluster-ip`: the Service's address; kube-proxy selects an endpoint. `endpoint`: an endpoint itself.
   * `external-name`: a DNS name, resolved on the API server's host. `loopback`: the API server itself.
   */
  readonly via: 'cluster-ip' | 'endpoint' | 'external-name' | 'loopback';
  /** `ip:port`, `[ip]:port` or `name:port`. Via `endpoint`: one of `endpoints`, selected at random. */
  readonly address: string;
  /** The endpoints that the connection can reach; empty if none is usable or in a slice. */
  readonly endpoints: readonly BackendEndpoint[];
  /** `internalTrafficPolicy: Local`: only endpoints on the API server's node. Via `cluster-ip` only. */
  readonly localOnly: boolean;
  /**
   * Why kube-proxy may have no rule for this address: the port is not a TCP port, or a label excludes the
   * Service: `service.kubernetes.io/service-proxy-name` assigns it to another proxy, and
   * `service.kubernetes.io/headless` applies before 1.37 (cmd/kube-proxy/app/server.go). Via `cluster-ip`
   * only.
   */
  readonly unproxied?: 'protocol' | 'label';
}

/** The API server cannot resolve an address. */
export interface NoRoute {
  readonly kind: 'refused';
  readonly reason: 'service-missing' | 'headless' | 'external-name' | 'port-missing' | 'no-endpoints';
  /** The resolver's error, with which the error of the API server ends. */
  readonly text: string;
}

/** Where the API server connects to, or why it cannot resolve an address. */
export type Route = DialTarget | NoRoute;

const refused = (reason: NoRoute['reason'], text: string): NoRoute => ({ kind: 'refused', reason, text });

/** The port of a Service by its number, for any protocol; the first counts (proxy.go findServicePort). */
export const servicePortOf = (service: Service, port: number): ServicePort | undefined =>
  service.spec.ports?.find((candidate) => candidate.port === port);

/** The port that kube-proxy serves under a number: the TCP port, whatever the order. */
export const proxiedPortOf = (service: Service, port: number): ServicePort | undefined =>
  service.spec.ports?.find(
    (candidate) => candidate.port === port && (candidate.protocol ?? 'TCP') === 'TCP',
  ) ?? servicePortOf(service, port);

/** The port that a reference means: if the Service does not have its number, the Service's only port. */
export const meantPortOf = (service: Service, port: number): ServicePort | undefined => {
  const [only, ...others] = service.spec.ports ?? [];
  return proxiedPortOf(service, port) ?? (others.length === 0 ? only : undefined);
};

const portMissing = (reference: ServiceReference): NoRoute =>
  refused('port-missing', `no service port ${reference.port} found for service "${reference.name}"`);

const unservedLabels = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless'];

function unproxied(service: Service, port: ServicePort): Pick<DialTarget, 'unproxied'> {
  if ((port.protocol ?? 'TCP') !== 'TCP') return { unproxied: 'protocol' };
  const { labels = {} } = service.metadata;
  return unservedLabels.some((label) => labels[label] !== undefined) ? { unproxied: 'label' } : {};
}

/** The Service of a callout, as it was read. */
export interface ReferencedService {
  readonly reference: ServiceReference;
  /** undefined: the Service or its namespace does not exist. */
  readonly service: Service | undefined;
  readonly slices: readonly EndpointSlice[];
}

/** apiserver/pkg/util/proxy/proxy.go ResolveCluster. */
function toClusterIp(reference: ServiceReference, service: Service, slices: readonly EndpointSlice[]): Route {
  const { type = 'ClusterIP', clusterIP = '', externalName = '' } = service.spec;
  if (type === 'ExternalName') {
    const address = hostPort(externalName, reference.port);
    return { kind: 'dials', via: 'external-name', address, endpoints: [], localOnly: false };
  }
  if (type === 'ClusterIP' && clusterIP === 'None') {
    return refused('headless', 'cannot route to service with ClusterIP "None"');
  }
  const port = proxiedPortOf(service, reference.port);
  if (port === undefined) return portMissing(reference);
  return {
    kind: 'dials',
    via: 'cluster-ip',
    address: hostPort(clusterIP, port.port),
    endpoints: usable(endpointsOf(service, port, slices), 'cluster-ip', service),
    localOnly: service.spec.internalTrafficPolicy === 'Local',
    ...unproxied(service, port),
  };
}

/** The endpoints of the Service's primary address family; those of the other one only if there are none. */
function firstFamily(endpoints: readonly BackendEndpoint[], service: Service): readonly BackendEndpoint[] {
  const family = service.spec.ipFamilies?.[0];
  const preferred = endpoints.filter((endpoint) => endpoint.family === family);
  return preferred.length > 0 ? preferred : endpoints;
}

/** apiserver/pkg/util/proxy/proxy.go ResolveEndpoint; before 1.34 it read Endpoints objects, not slices. */
function toEndpoint(
  reference: ServiceReference,
  service: Service,
  slices: readonly EndpointSlice[],
  version: string | undefined,
): Route {
  if (service.spec.type === 'ExternalName') {
    return refused('external-name', 'unsupported service type "ExternalName"');
  }
  const port = servicePortOf(service, reference.port);
  if (port === undefined) return portMissing(reference);
  const endpoints = firstFamily(usable(endpointsOf(service, port, slices), 'endpoints', service), service);
  const [chosen] = endpoints;
  if (chosen === undefined) {
    return slices.length === 0 && !behaves(version, 'endpoint-slices')
      ? refused('no-endpoints', `endpoints "${reference.name}" not found`)
      : refused('no-endpoints', `no endpoints available for service "${reference.name}"`);
  }
  const address = hostPort(chosen.address, chosen.port);
  return { kind: 'dials', via: 'endpoint', address, endpoints, localOnly: false };
}

/**
 * The address of the API server's next connection for a Service reference, or the error. It does not use DNS:
 * a resolver reads the Service and, in the mode `endpoints`, its EndpointSlices
 * (kube-aggregator/pkg/apiserver/resolvers.go; the same for webhooks, conversion and APIServices).
 *
 * @param version the API server's, `v1.35.4`; a current one when not known.
 */
export function routeTo(
  { reference, service, slices }: ReferencedService,
  mode: RoutingMode,
  version?: string,
): Route {
  if (isLoopback(reference)) {
    const address = 'kubernetes.default.svc:443';
    return { kind: 'dials', via: 'loopback', address, endpoints: [], localOnly: false };
  }
  if (service === undefined) return refused('service-missing', `service "${reference.name}" not found`);
  return mode === 'cluster-ip'
    ? toClusterIp(reference, service, slices)
    : toEndpoint(reference, service, slices, version);
}
