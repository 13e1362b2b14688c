import { type ApiResource, builtInResources } from './built-in-resources.ts';
import { type ApiObject, fieldOf, isTrue, type ObjectStore } from './object-store.ts';

interface Definition {
  readonly group: string;
  readonly scope: string;
  readonly names: {
    readonly plural: string;
    readonly singular?: string;
    readonly kind: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly subresources?: { readonly status?: unknown; readonly scale?: unknown };
  }[];
}

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const statusVerbs = ['get', 'patch', 'update'];

/** The resources of a CustomResourceDefinition: one for each served version. */
function definedBy(definition: ApiObject): readonly ApiResource[] {
  const { group, scope, names, versions } = definition.spec as Definition;
  return versions
    .filter(({ served }) => served)
    .map(({ name: version, subresources }) => ({
      group,
      version,
      plural: names.plural,
      singular: names.singular ?? names.kind.toLowerCase(),
      kind: names.kind,
      namespaced: scope === 'Namespaced',
      verbs: customVerbs,
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      subresources: [
        ...(subresources?.status === undefined ? [] : [{ name: 'status', verbs: statusVerbs }]),
        ...(subresources?.scale === undefined
          ? []
          : [
              {
                name: 'scale',
                responds: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                verbs: statusVerbs,
              },
            ]),
      ],
      custom: true,
    }));
}

/** The group and version of an APIService that is backed by a Service, and whether it is available. */
export interface AggregatedVersion {
  readonly group: string;
  readonly version: string;
  readonly available: boolean;
}

/** Everything that the API server serves. */
export interface ServedApi {
  readonly resources: readonly ApiResource[];
  readonly aggregated: readonly AggregatedVersion[];
}

function aggregatedBy(service: ApiObject): readonly AggregatedVersion[] {
  if (!fieldOf(service, 'spec.service')) return [];
  return [
    {
      group: String(fieldOf(service, 'spec.group')),
      version: String(fieldOf(service, 'spec.version')),
      available: isTrue(service, 'Available'),
    },
  ];
}

/** Everything that the API server serves with these objects: built-in resources, CRDs and APIServices. */
export const servedBy = (store: ObjectStore): ServedApi => ({
  resources: [
    ...builtInResources,
    ...store.of('apiextensions.k8s.io', 'CustomResourceDefinition').flatMap(definedBy),
  ],
  aggregated: store.of('apiregistration.k8s.io', 'APIService').flatMap(aggregatedBy),
});
