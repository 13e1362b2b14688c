import { complete, nothingRead } from '../../../facts/lookup.ts';
import type { ServedResource, ServedResources } from '../../../facts/served-resources.ts';
import type { Unread } from '../../../facts/unread.ts';
import { isRead } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';

interface GroupVersionKind {
  readonly kind?: string;
}
interface DiscoverySubresource {
  readonly subresource: string;
  readonly responseKind?: GroupVersionKind | null;
  readonly verbs?: readonly string[];
}
interface DiscoveryResource {
  readonly resource: string;
  readonly responseKind?: GroupVersionKind | null;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly DiscoverySubresource[];
}
/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList (KEP-3352). */
export interface GroupDiscoveryList {
  readonly kind?: string;
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly DiscoveryResource[];
      readonly freshness?: 'Current' | 'Stale';
    }[];
  }[];
}

const accept =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

function* resourcesOf(list: GroupDiscoveryList): Generator<ServedResource> {
  for (const { metadata, versions } of list.items ?? []) {
    const group = metadata?.name ?? '';
    for (const { version, resources } of versions ?? []) {
      for (const found of resources ?? []) {
        const namespaced = found.scope === 'Namespaced';
        const common = { group, version, singular: found.singularResource ?? '', namespaced };
        yield {
          ...common,
          resource: found.resource,
          kind: found.responseKind?.kind ?? '',
          verbs: found.verbs ?? [],
          ...(found.shortNames && { shortNames: found.shortNames }),
        };
        for (const { subresource, responseKind, verbs } of found.subresources ?? []) {
          const kind = responseKind?.kind ?? found.responseKind?.kind ?? '';
          yield { ...common, resource: `${found.resource}/${subresource}`, kind, verbs: verbs ?? [] };
        }
      }
    }
  }
}

function staleOf(list: GroupDiscoveryList): readonly string[] {
  return (list.items ?? []).flatMap(({ metadata, versions }) =>
    (versions ?? []).flatMap(({ version, freshness }) =>
      freshness === 'Stale' ? [`${metadata?.name ?? ''}/${version}`] : [],
    ),
  );
}

const servedFrom = (lists: readonly GroupDiscoveryList[]): ServedResources => ({
  resources: lists.flatMap((list) => [...resourcesOf(list)]),
  stale: lists.flatMap(staleOf),
});

const unaggregated: Unread = {
  what: 'resource discovery',
  why: 'not-served',
  detail: 'this API server offers no aggregated discovery (Kubernetes 1.27 and later do)',
};

/** Collects discovery with two requests: `/api` and `/apis` in their aggregated form. */
export const served = defineCollector({
  fact: 'served',
  needs: [],
  permissions: [],
  otherwise: 'resource discovery',
  async readAll(access) {
    const lists = await Promise.all(
      ['/api', '/apis'].map((path) => access.raw<GroupDiscoveryList>(path, accept)),
    );
    const known = lists.flatMap((reading) =>
      isRead(reading) && reading.value !== undefined ? [reading.value] : [],
    );
    const failure = lists.find((reading) => !isRead(reading));
    if (failure !== undefined && !isRead(failure)) return nothingRead<ServedResources>(failure.unread);
    if (known.some(({ kind }) => kind !== 'APIGroupDiscoveryList'))
      return nothingRead<ServedResources>(unaggregated);
    return complete([['served', servedFrom(known)]]);
  },
});
