import { groupBy } from '../../../basics/collections.ts';
import { lookup } from '../../../facts/lookup.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { type EndpointSlice, serviceNameLabel } from '../../../facts/objects/endpoint-slice.ts';
import type { Service } from '../../../facts/objects/service.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { defineCollector } from '../../collector.ts';
import { listEverywhere, namespacesNamed } from '../everywhere.ts';

/** Collects all Services; if listing is forbidden, those of the namespaces that webhooks refer to. */
export const services = defineCollector({
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
 * Collects all EndpointSlices, by the key of their Service; those without its label by `namespace/`. A Service
 * without EndpointSlices has no entry: it is known to have none.
 */
export const endpointSlices = defineCollector({
  fact: 'endpointSlices',
  needs: ['callouts'],
  permissions: [toRead(resources.EndpointSlice, ['list'], 'cluster', 'the endpoints of these Services')],
  otherwise: 'EndpointSlices',
  async readAll(access, known) {
    const named = () => known(['callouts']).then(namespacesNamed);
    const found = await listEverywhere<EndpointSlice>(access, resources.EndpointSlice, named);
    const byService = groupBy(found.items, ({ metadata: { namespace, labels } }) =>
      keyOf({ namespace, name: labels?.[serviceNameLabel] ?? '' }),
    );
    return lookup<readonly EndpointSlice[]>(byService, found.gaps);
  },
});
