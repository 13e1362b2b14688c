import { remembered } from '../../facts/derive.ts';
import type { ServedResource, ServedResources } from '../../facts/served-resources.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Events are stored under one prefix for both groups, so the API server counts them as one resource. */
const storedAs = (group: string, resource: string): string =>
  resource.split('/')[0] === 'events' && group === 'events.k8s.io' ? `/${resource}` : `${group}/${resource}`;

/** What discovery told, by where it is stored. */
const byStorage = remembered((served: ServedResources): ReadonlyMap<string, readonly ServedResource[]> => {
  const index = new Map<string, ServedResource[]>();
  for (const resource of served.resources) {
    const place = storedAs(resource.group, resource.resource);
    const alike = index.get(place);
    if (alike === undefined) index.set(place, [resource]);
    else alike.push(resource);
  }
  return index;
});

/**
 * The same request in every other version in which the resource is served, with the same subresource: what
 * `matchPolicy: Equivalent` also matches (apiserver/pkg/server/config.go EquivalentResourceMapper).
 */
export function equivalentRequests(
  request: AdmissionRequest,
  served: ServedResources,
): readonly AdmissionRequest[] {
  const url = request.subresource ? `${request.resource}/${request.subresource}` : request.resource;
  const alike = byStorage(served).get(storedAs(request.group, url)) ?? [];
  return alike
    .filter(({ group, version }) => group !== request.group || version !== request.version)
    .map(({ group, version, kind }) => ({ ...request, group, version, kind }));
}
