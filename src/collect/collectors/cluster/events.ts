import type { Event } from '../../../facts/objects/event.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { isRead, type Reading } from '../../attempts.ts';
import { defineCollector, eachKey } from '../../collector.ts';
import {
  brokenBackends,
  brokenFacts,
  namespacesOf,
  namespacesOfUnregistered,
} from '../../suspect-backends.ts';

/** Above this number of namespaces, one list over all of them costs less than a list per namespace. */
const manyNamespaces = 8;
const warnings = { fieldSelector: 'type=Warning' };

/** Collects Warning Events of the namespaces of broken backends, and of products that have not registered webhooks. */
export const events = defineCollector({
  fact: 'events',
  needs: brokenFacts,
  permissions: [
    toRead(resources.Event, ['list'], 'backends', 'reasons why Pods do not start or are not ready'),
  ],
  otherwise: 'events of a namespace whose backends look healthy',
  wants: (facts, readOptions) => [
    ...namespacesOf(brokenBackends(facts, readOptions).filter(({ service }) => service !== undefined)),
    ...namespacesOfUnregistered(facts, readOptions),
  ],
  async read(access, keys): Promise<ReadonlyMap<string, Reading<readonly Event[]>>> {
    if (keys.length > manyNamespaces) {
      const everywhere = await access.list<Event>(resources.Event, { query: warnings, refusable: true });
      if (isRead(everywhere)) {
        const byNamespace = new Map<string, Event[]>(keys.map((namespace) => [namespace, []]));
        for (const event of everywhere.value) byNamespace.get(event.metadata.namespace ?? '')?.push(event);
        return new Map([...byNamespace].map(([namespace, value]) => [namespace, { value }]));
      }
    }
    return eachKey(keys, (namespace) => access.list<Event>(resources.Event, { namespace, query: warnings }));
  },
});
