import { remembered } from '../basics/derive.ts';
import type { DefinitionObject } from './callout-of.ts';
import type { Lookup } from './lookup.ts';

/** One resource or subresource that the API server serves, from discovery. */
export interface ServedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural URL name, with its subresource after a slash: `pods`, `pods/status`. */
  readonly resource: string;
  readonly kind: string;
  readonly singular: string;
  /** Short names in kubectl: `po`; not for subresources. */
  readonly shortNames?: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** The result of discovery. */
export interface ServedResources {
  readonly resources: readonly ServedResource[];
  /** `group/version` that discovery could not list (a failed APIService): their resources are unknown. */
  readonly stale: readonly string[];
}

/** True if discovery lists the resource; false if discovery was not read. */
export const isServed = (
  { served }: { readonly served: Lookup<ServedResources> },
  { group, plural }: { readonly group: string; readonly plural: string },
): boolean =>
  (served.getIfKnown('served')?.resources ?? []).some(
    (found) => found.group === group && found.resource === plural,
  );

/** The resource of a kind in a manifest; undefined if it is not served, or discovery was not read. */
export function resourceOfKind(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  served: ServedResources | undefined,
): ServedResource | undefined {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return served?.resources.find(
    (one) =>
      one.kind === kind && one.group === group && one.version === version && !one.resource.includes('/'),
  );
}

/**
 * Resolves `deploy`, `deployments.v1.apps`, `deployments.apps` or `Deployment` as kubectl does, the version first
 * (apimachinery runtime/schema ParseResourceArg); undefined if it is not served.
 */
export function resourceNamed(typed: string, { resources }: ServedResources): ServedResource | undefined {
  const [name = '', ...rest] = typed.toLowerCase().split('.');
  const [version, ...group] = rest;
  const named = resources.filter(
    (one) =>
      !one.resource.includes('/') &&
      [one.resource, one.singular, one.kind.toLowerCase(), ...(one.shortNames ?? [])].includes(name),
  );
  if (version === undefined) return named[0];
  return (
    named.find((one) => group.length > 0 && one.version === version && one.group === group.join('.')) ??
    named.find((one) => one.group === rest.join('.'))
  );
}

/** Index of the resources by group: discovery is long, and most lookups are in one group. */
export const servedByGroup = remembered(
  (served: ServedResources): ReadonlyMap<string, readonly ServedResource[]> => {
    const made = new Map<string, ServedResource[]>();
    for (const resource of served.resources) {
      const group = made.get(resource.group);
      if (group === undefined) made.set(resource.group, [resource]);
      else group.push(resource);
    }
    return made;
  },
);

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** The resources that discovery lists for a CustomResourceDefinition, without subresources. */
export const resourcesOfDefinition = ({ spec }: DefinitionObject): readonly ServedResource[] =>
  (spec.versions ?? [])
    .filter(({ served }) => served)
    .map(({ name: version }) => ({
      group: spec.group,
      version,
      resource: spec.names.plural,
      kind: spec.names.kind,
      singular: spec.names.kind.toLowerCase(),
      namespaced: spec.scope === 'Namespaced',
      verbs,
    }));
