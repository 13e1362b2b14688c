import type { Gaps } from '../../facts/lookup.ts';
import type { Resource } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { eachKey, whyUnread } from '../collector.ts';

/** Objects of a namespaced resource, and the namespaces that could not be read. */
export interface ObjectsByNamespace<T> {
  readonly items: readonly T[];
  readonly gaps: Gaps;
}

/** Lists a resource over all namespaces; if that is forbidden, sends one list per relevant namespace. */
export async function listEverywhere<T>(
  read: Attempts,
  resource: Resource,
  namespaces: () => Promise<readonly string[]>,
): Promise<ObjectsByNamespace<T>> {
  const everywhere = await read.list<T>(resource, { refusable: true });
  if (isRead(everywhere)) return { items: everywhere.value, gaps: { others: undefined } };
  const { unread } = everywhere;
  if (unread.why !== 'forbidden') return { items: [], gaps: { others: unread } };
  const readings = await eachKey(await namespaces(), (namespace) => read.list<T>(resource, { namespace }));
  return {
    items: [...readings.values()].flatMap((reading) => (isRead(reading) ? reading.value : [])),
    gaps: { namespaces: whyUnread(readings), others: unread },
  };
}

/** Namespaces of the backends that webhooks and APIServices refer to. */
export const namespacesNamed = ({ callouts }: Pick<Facts, 'callouts'>): readonly string[] => [
  ...new Set(callouts.flatMap(({ client }) => client.service?.namespace ?? [])),
];
