import type { ApiResource } from '../../src/demo/api-server/built-in-resources.ts';

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: string;
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: object;
    readonly verbs: readonly string[];
  }[];
}
/** One group of aggregated discovery. */
export interface DiscoveredGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly freshness: string;
    readonly resources?: readonly DiscoveredResource[];
  }[];
}

/** One resource with all of its discovery, as a line to compare. */
export const linesOf = ({ metadata, versions }: DiscoveredGroup): readonly string[] =>
  versions.flatMap(({ version, resources = [] }) =>
    resources.map((found) =>
      JSON.stringify([
        ...[metadata.name ?? '', version, found.resource, found.singularResource, found.responseKind.kind],
        ...[found.scope, found.verbs, found.shortNames ?? [], found.categories ?? []],
        (found.subresources ?? []).map(({ subresource, responseKind, verbs }) => [
          subresource,
          responseKind,
          verbs,
        ]),
      ]),
    ),
  );

/** The same line for a resource of the demo. */
export const lineOf = (resource: ApiResource): string =>
  JSON.stringify([
    ...[resource.group, resource.version, resource.plural, resource.singular, resource.kind],
    ...[
      resource.namespaced ? 'Namespaced' : 'Cluster',
      resource.verbs,
      resource.shortNames,
      resource.categories,
    ],
    resource.subresources.map(({ name, responds, verbs }) => [
      name,
      responds ?? { group: '', version: '', kind: resource.kind },
      verbs,
    ]),
  ]);
