import type { AggregatedApiCallout, ConversionCallout } from '../../facts/callout.ts';
import {
  type ApiServiceObject,
  aggregatedApiCallout,
  conversionCallout,
  type DefinitionObject,
} from '../../facts/callout-of.ts';
import { complete, lookup } from '../../facts/lookup.ts';
import {
  type EndpointSlice,
  keyOf,
  type Namespace,
  type Service,
  serviceNameLabel,
} from '../../facts/objects.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { defineCollector, eachKey, fromReadings } from '../collector.ts';
import { served } from './discovery.ts';
import { listEverywhere, namespacesNamed } from './everywhere.ts';
import { admissionOf, admissionPermissions, configurations } from './webhook-configurations.ts';

const withoutSchemas = ({ spec, ...definition }: DefinitionObject): DefinitionObject => ({
  ...definition,
  spec: {
    ...spec,
    versions: (spec.versions ?? []).map(({ name, served, storage }) => ({ name, served, storage })),
  },
});

/** Reads the CRDs. Their schemas are not kept. */
export async function collectConversion(read: Attempts): Promise<readonly ConversionCallout[]> {
  const definitions = await read.list<DefinitionObject>(resources.CustomResourceDefinition, {
    keep: withoutSchemas,
  });
  if (!isRead(definitions)) return [];
  return definitions.value.flatMap((definition) => conversionCallout(definition) ?? []);
}

/** Collects the APIServices that a Service serves; none if they could not be listed. */
export async function collectAggregatedApis(read: Attempts): Promise<readonly AggregatedApiCallout[]> {
  const services = await read.list<ApiServiceObject>(resources.APIService);
  return isRead(services) ? services.value.flatMap((service) => aggregatedApiCallout(service) ?? []) : [];
}

/** Collects all Namespaces; if listing is forbidden, gets one by one those that webhooks refer to. */
const namespaces = defineCollector({
  fact: 'namespaces',
  needs: ['callouts'],
  permissions: [
    toRead(
      resources.Namespace,
      ['list'],
      'cluster',
      'existing namespaces, and the labels that selectors match',
    ),
  ],
  otherwise: 'Namespaces',
  async readAll(access, known) {
    const all = await access.list<Namespace>(resources.Namespace);
    if (isRead(all)) return complete(all.value.map((namespace) => [namespace.metadata.name, namespace]));
    const { unread } = all;
    const single = unread.why === 'forbidden' ? namespacesNamed(await known(['callouts'])) : [];
    // The forbidden list is already reported.
    const readings = await eachKey(single, (name) =>
      access.get<Namespace>(resources.Namespace, name, { refusable: true }),
    );
    return fromReadings(readings, unread);
  },
});

/** Collects all Services; if listing is forbidden, those of the namespaces that webhooks refer to. */
const services = defineCollector({
  fact: 'services',
  needs: ['callouts'],
  permissions: [
    toRead(resources.Service, ['list'], 'cluster', 'the Services that webhooks name, and their ports'),
  ],
  otherwise: 'Services',
  async readAll(access, known) {
    const named = () => known(['callouts']).then(namespacesNamed);
    const found = await listEverywhere<Service>(access, resources.Service, named);
    return lookup(new Map(found.items.map((service) => [keyOf(service.metadata), service])), found.gaps);
  },
});

/**
 * Collects all EndpointSlices, by the key of their Service. A Service without EndpointSlices has no entry: it
 * is known to have none.
 */
const endpointSlices = defineCollector({
  fact: 'endpointSlices',
  needs: ['callouts'],
  permissions: [toRead(resources.EndpointSlice, ['list'], 'cluster', 'the endpoints of these Services')],
  otherwise: 'EndpointSlices',
  async readAll(access, known) {
    const named = () => known(['callouts']).then(namespacesNamed);
    const found = await listEverywhere<EndpointSlice>(access, resources.EndpointSlice, named);
    const byService = new Map<string, EndpointSlice[]>();
    for (const slice of found.items) {
      const name = slice.metadata.labels?.[serviceNameLabel];
      if (name === undefined) continue;
      const key = keyOf({ namespace: slice.metadata.namespace, name });
      byService.set(key, [...(byService.get(key) ?? []), slice]);
    }
    return lookup(byService, found.gaps);
  },
});

const version = defineCollector({
  fact: 'version',
  needs: [],
  permissions: [],
  otherwise: undefined,
  async readAll(access) {
    const answer = await access.raw<{ readonly gitVersion?: string }>('/version');
    return isRead(answer) ? answer.value?.gitVersion : undefined;
  },
});

const callouts = defineCollector({
  fact: 'callouts',
  needs: [],
  permissions: [
    ...admissionPermissions,
    toRead(resources.CustomResourceDefinition, ['list'], 'cluster', 'conversion webhooks'),
    toRead(resources.APIService, ['list'], 'cluster', 'APIServices, and whether they are available'),
  ],
  otherwise: [],
  async readAll(access) {
    const [admission, conversion, aggregated] = await Promise.all([
      admissionOf(access),
      collectConversion(access),
      collectAggregatedApis(access),
    ]);
    return [...admission.callouts, ...conversion, ...aggregated];
  },
});

/** The collectors that start every run: ten requests, and further pages, in parallel, for any cluster. */
export const firstCollectors = {
  version,
  callouts,
  configurations,
  services,
  endpointSlices,
  namespaces,
  served,
} as const;

/** One of the facts that every run reads. */
export type FirstFact = keyof typeof firstCollectors;
