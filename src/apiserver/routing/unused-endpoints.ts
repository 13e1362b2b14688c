import type { Evidence } from '../../facts/evidence.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Backend, type EndpointFacts, endpointsBehind, usableBehind } from './backends.ts';
import { type BackendEndpoint, usable } from './endpoints.ts';

/**
 * Port names, `""` for none, of the slices with addresses, whatever the name of the Service port is;
 * undefined if no slice has an address.
 */
export function portsOfSlices(
  { key }: Backend,
  { endpointSlices }: Pick<Facts, 'endpointSlices'>,
): readonly string[] | undefined {
  const holding = (endpointSlices.get(key) ?? []).filter(({ endpoints }) => (endpoints ?? []).length > 0);
  if (holding.length === 0) return undefined;
  const ports = holding.flatMap((slice) => slice.ports ?? []).filter(({ port }) => port !== undefined);
  return [...new Set(ports.map(({ name }) => name ?? ''))];
}

/** The name of a port of a slice, as messages contain it. */
export const portText = (name: string): string => (name === '' ? 'without a name' : name);

/** Ready endpoints that kube-proxy cannot use for the Service's address, if it can use no other. */
export function readyButNotProxied(
  backend: Backend,
  facts: Pick<EndpointFacts, 'endpointSlices' | 'routing'>,
): readonly BackendEndpoint[] {
  const hasUsable = facts.routing.mode === 'endpoints' || usableBehind(backend, facts).length > 0;
  return hasUsable ? [] : usable(endpointsBehind(backend, facts), 'endpoints', backend.service);
}

/** The types of these endpoints: `FQDN`, `IPv6`, `UDP`. */
export const unusableKindsText = (endpoints: readonly BackendEndpoint[]): string =>
  [...new Set(endpoints.map(({ family, protocol }) => (protocol === 'TCP' ? family : protocol)))].join(
    ' and ',
  );

/** The addresses and conditions of these endpoints, as evidence about their slices. */
export const endpointEvidence = (
  { namespace }: Backend,
  endpoints: readonly BackendEndpoint[],
): readonly Evidence[] =>
  endpoints.map(({ address, port, ready, serving, terminating, slice }) => ({
    object: { kind: 'EndpointSlice', namespace, name: slice },
    field: 'endpoints',
    value: `${address}:${port} ready=${ready} serving=${serving}${terminating ? ' terminating=true' : ''}`,
  }));
