import type { ServedResources } from '../facts/served-resources.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Events are stored under one prefix for both groups, so the API server counts them as one resource. */
const storedAs = (group: string, resource: string): string =>
  resource.split('/')[0] === 'events' && group === 'events.k8s.io' ? `/${resource}` : `${group}/${resource}`;

/**
 * The same request in every other version in which the resource is served, with the same subresource: what
 * `matchPolicy: Equivalent` also matches (apiserver/pkg/server/config.go EquivalentResourceMapper).
 */
export function equivalentRequests(
  request: AdmissionRequest,
  served: ServedResources,
): readonly AdmissionRequest[] {
  const url = request.subresource ? `${request.resource}/${request.subresource}` : request.resource;
  const own = storedAs(request.group, url);
  return served.resources
    .filter(({ group, resource }) => storedAs(group, resource) === own)
    .filter(({ group, version }) => group !== request.group || version !== request.version)
    .map(({ group, version, kind }) => ({ ...request, group, version, kind }));
}
