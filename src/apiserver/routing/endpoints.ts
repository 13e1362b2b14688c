import { remembered } from '../../basics/derive.ts';
import type { Endpoint, EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Service, ServicePort } from '../../facts/objects/service.ts';
import type { RoutingMode } from '../../facts/snapshot.ts';

/** One address behind a Service port, from the EndpointSlices. */
export interface BackendEndpoint {
  readonly address: string;
  /** The number of the container port, to which the API server connects. */
  readonly port: number;
  readonly family: 'IPv4' | 'IPv6' | 'FQDN';
  /** The protocol of the slice's port; kube-proxy uses it, the API server does not. */
  readonly protocol: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** Absent for a manually maintained address. */
  readonly pod?: { readonly namespace: string; readonly name: string; readonly uid?: string };
  readonly slice: string;
}

const podOf = (endpoint: Endpoint, service: Service): BackendEndpoint['pod'] => {
  const target = endpoint.targetRef;
  if (target?.name === undefined || (target.kind ?? 'Pod') !== 'Pod') return undefined;
  return {
    namespace: target.namespace ?? service.metadata.namespace ?? '',
    name: target.name,
    ...(target.uid === undefined ? {} : { uid: target.uid }),
  };
};

function endpointOf(
  endpoint: Endpoint,
  { port, protocol }: Pick<BackendEndpoint, 'port' | 'protocol'>,
  slice: EndpointSlice,
  service: Service,
): BackendEndpoint[] {
  const address = endpoint.addresses[0];
  if (address === undefined) return [];
  const pod = podOf(endpoint, service);
  return [
    {
      address,
      port,
      family: slice.addressType,
      protocol,
      ready: endpoint.conditions?.ready ?? true,
      serving: endpoint.conditions?.serving ?? true,
      terminating: endpoint.conditions?.terminating ?? false,
      ...(pod === undefined ? {} : { pod }),
      slice: slice.metadata.name,
    },
  ];
}

/** Removes duplicate addresses in several slices; a Pod that stays is preferred to a terminating one. */
function once(endpoints: readonly BackendEndpoint[]): readonly BackendEndpoint[] {
  const byAddress = new Map<string, BackendEndpoint>();
  for (const endpoint of endpoints) {
    const key = `${endpoint.address} ${endpoint.port} ${endpoint.protocol}`;
    if (!byAddress.has(key) || !endpoint.terminating) byAddress.set(key, endpoint);
  }
  return [...byAddress.values()];
}

const behindPort = (
  service: Service,
  servicePort: ServicePort,
  slices: readonly EndpointSlice[],
): readonly BackendEndpoint[] =>
  once(
    slices.flatMap((slice) =>
      (slice.ports ?? [])
        .filter((port) => (port.name ?? '') === (servicePort.name ?? ''))
        .flatMap(({ port, protocol = 'TCP' }) =>
          port === undefined
            ? []
            : (slice.endpoints ?? []).flatMap((endpoint) =>
                endpointOf(endpoint, { port, protocol }, slice, service),
              ),
        ),
    ),
  );

/**
 * Every address behind one Service port, ready or not. Each slice is searched for the port by its name (an
 * unnamed port is `""`), and only the first address of an endpoint counts: apiserver/pkg/util/proxy/proxy.go
 * ResolveEndpoint, and pkg/proxy/endpointslicecache.go, which kube-proxy uses.
 *
 * @param slices the EndpointSlices of this Service (label `kubernetes.io/service-name`), in its own
 * namespace.
 */
export const endpointsOf = remembered(behindPort);

const familyOf = (address: string): BackendEndpoint['family'] => (address.includes(':') ? 'IPv6' : 'IPv4');

/**
 * The endpoints behind a Service's address: kube-proxy separates address families, ignores DNS names, and
 * identifies a port by name and protocol (pkg/proxy/endpointslicecache.go, pkg/proxy/types.go
 * ServicePortName). All endpoints if the Service has no address.
 */
function proxied(
  endpoints: readonly BackendEndpoint[],
  { spec: { clusterIP = 'None' } }: Service,
): readonly BackendEndpoint[] {
  if (clusterIP === 'None' || clusterIP === '') return endpoints;
  return endpoints.filter(({ family, protocol }) => family === familyOf(clusterIP) && protocol === 'TCP');
}

/**
 * The endpoints that a new call can reach. `cluster-ip`: kube-proxy uses the ready endpoints behind the
 * Service's address; if there is none, those that are terminating and serving (KEP-1669;
 * pkg/proxy/topology.go). `endpoints`: the API server uses ready ones only.
 */
export const usable = remembered(
  (
    endpoints: readonly BackendEndpoint[],
    mode: RoutingMode,
    service: Service,
  ): readonly BackendEndpoint[] => {
    const reachable = mode === 'endpoints' ? endpoints : proxied(endpoints, service);
    const ready = reachable.filter((endpoint) => endpoint.ready);
    if (ready.length > 0 || mode === 'endpoints') return ready;
    return reachable.filter((endpoint) => endpoint.serving && endpoint.terminating);
  },
);
