import type { AggregatedApiCallout } from '../../facts/callout.ts';
import { type EndpointSlice, isReadyEndpoint } from '../../facts/objects/endpoint-slice.ts';
import { loadCaBundle } from '../certificate/parse/load-ca-bundle.ts';
import { type ReferencedService, type Route, servicePortOf } from '../routing/route.ts';
import { behaves } from '../server-version.ts';

/** The condition `Available` of an APIService, as far as its Service and slices determine it. */
export interface Unavailable {
  readonly reason:
    | 'ServiceNotFound'
    | 'ServicePortError'
    | 'EndpointsNotFound'
    | 'MissingEndpoints'
    | 'FailedDiscoveryCheck';
  readonly message: string;
}

/** One ready endpoint and the port's name in the same slice are enough, whatever the address family. */
const hasActiveEndpoints = (slices: readonly EndpointSlice[], portName: string): boolean =>
  slices.some(
    (slice) =>
      (slice.endpoints ?? []).some(isReadyEndpoint) &&
      (slice.ports ?? []).some((port) => (port.name ?? '') === portName && port.port !== undefined),
  );

/**
 * Predicts why the API server sets an APIService to `Available=False`; undefined if it proceeds to call the
 * backend: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go. While the condition
 * is False, the API server responds to every request for the API with 503 `service unavailable`.
 *
 * @param version the API server's; before 1.34 the messages name endpoints.
 */
export function unavailableBecause(
  { reference, service, slices }: ReferencedService,
  route: Route,
  version?: string,
): Unavailable | undefined {
  const { namespace, name, port } = reference;
  if (service === undefined) {
    return { reason: 'ServiceNotFound', message: `service/${name} in "${namespace}" is not present` };
  }
  const objects = behaves(version, 'endpoint-slices') ? 'endpointslices' : 'endpoints';
  if ((service.spec.type ?? 'ClusterIP') === 'ClusterIP') {
    const servicePort = servicePortOf(service, port);
    if (servicePort === undefined) {
      const message = `service/${name} in "${namespace}" is not listening on port ${port}`;
      return { reason: 'ServicePortError', message };
    }
    if (slices.length === 0) {
      const message = `cannot find ${objects} for service/${name} in "${namespace}"`;
      return { reason: 'EndpointsNotFound', message };
    }
    const portName = servicePort.name ?? '';
    if (!hasActiveEndpoints(slices, portName)) {
      const message = `${objects} for service/${name} in "${namespace}" have no addresses with port name "${portName}"`;
      return { reason: 'MissingEndpoints', message };
    }
  }
  return route.kind === 'refused' ? { reason: 'FailedDiscoveryCheck', message: route.text } : undefined;
}

/**
 * True if the caBundle contains no valid certificate, so that the API server never connects to the backend of
 * an APIService. From 1.36 on the availability check verifies the certificate as requests do (before, it
 * accepted any). Such a bundle ends the check before the connection, and the condition `Available` does not
 * change: it stays absent for a new APIService (remote_available_controller.go BuildTransportConfig).
 */
export const isNeverDialed = (callout: AggregatedApiCallout, version?: string): boolean =>
  behaves(version, 'aggregated-trust') &&
  !callout.insecureSkipTLSVerify &&
  loadCaBundle(callout.client.caBundle).kind === 'refused';
