import { type Lookup, lookup } from '../../facts/lookup.ts';
import type { Event } from '../../facts/objects/event.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const eventRights: readonly Right[] = [
  toRead(resources.events, ['list'], 'backends', 'why replicas do not start or are not ready'),
];

/** Beyond so many namespaces one list over all of them costs less than a list each. */
const manyNamespaces = 8;
const warnings = { fieldSelector: 'type=Warning' };

/** Warning events of the given namespaces. */
export async function collectEvents(
  read: Attempts,
  namespaces: readonly string[],
): Promise<Lookup<readonly Event[]>> {
  const rest = notRequested('events of a namespace whose backends look whole');
  if (namespaces.length > manyNamespaces) {
    const everywhere = await read.list<Event>(resources.events, { query: warnings, refusable: true });
    if (isRead(everywhere)) {
      const byNamespace = new Map<string, Event[]>(namespaces.map((namespace) => [namespace, []]));
      for (const event of everywhere.value) byNamespace.get(event.metadata.namespace ?? '')?.push(event);
      return lookup(byNamespace, () => rest, rest);
    }
  }
  const readings = new Map(
    await Promise.all(
      namespaces.map(
        async (namespace) =>
          [namespace, await read.list<Event>(resources.events, { namespace, query: warnings })] as const,
      ),
    ),
  );
  return fromReadings(readings, rest);
}
