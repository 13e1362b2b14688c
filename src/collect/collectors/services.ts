import { type Lookup, lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { EndpointSlice } from '../../facts/objects/endpoint-slice.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Right } from '../../facts/right.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { listEverywhere, namespaceOf } from './everywhere.ts';

export const serviceRights: readonly Right[] = [
  toRead(resources.services, ['list'], 'cluster', 'the Services that webhooks name, and their ports'),
  toRead(resources.endpointSlices, ['list'], 'cluster', 'the endpoints behind these Services'),
];

/** All Services; where that is forbidden, those of the namespaces that callouts name. */
export async function collectServices(
  read: Attempts,
  namespaces: Promise<readonly string[]>,
): Promise<Lookup<Service>> {
  const found = await listEverywhere<Service>(read, resources.services, namespaces);
  return lookup(
    new Map(found.items.map((service) => [keyOf(service.metadata), service])),
    (key) => found.unread(namespaceOf(key)),
    found.incomplete,
  );
}

/** The label that ties a slice to its Service (discovery/v1 well_known_labels.go). */
const serviceName = 'kubernetes.io/service-name';

/** All EndpointSlices, by their Service's key. A Service without any has no entry: that is known, not unread. */
export async function collectEndpointSlices(
  read: Attempts,
  namespaces: Promise<readonly string[]>,
): Promise<Lookup<readonly EndpointSlice[]>> {
  const found = await listEverywhere<EndpointSlice>(read, resources.endpointSlices, namespaces);
  const byService = new Map<string, EndpointSlice[]>();
  for (const slice of found.items) {
    const name = slice.metadata.labels?.[serviceName];
    if (name === undefined) continue;
    const key = keyOf({ namespace: slice.metadata.namespace, name });
    byService.set(key, [...(byService.get(key) ?? []), slice]);
  }
  return lookup(byService, (key) => found.unread(namespaceOf(key)), found.incomplete);
}
