import type { Resource } from '../../facts/resource.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { Unread } from '../../facts/unread.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { eachKey } from '../collector.ts';

/** Objects of a namespaced resource, and for which namespaces nobody knows. */
export interface Found<T> {
  readonly items: readonly T[];
  /** Why the objects of `namespace` are not known; `undefined` when all of them are in `items`. */
  readonly unread: (namespace: string) => Unread | undefined;
  readonly incomplete: Unread | undefined;
}

/**
 * One list over all namespaces; where that is forbidden, one list per namespace that matters.
 */
export async function listEverywhere<T>(
  read: Attempts,
  resource: Resource,
  namespaces: () => Promise<readonly string[]>,
): Promise<Found<T>> {
  const everywhere = await read.list<T>(resource, { refusable: true });
  if (isRead(everywhere)) return { items: everywhere.value, unread: () => undefined, incomplete: undefined };
  const { unread } = everywhere;
  if (unread.why !== 'forbidden') return { items: [], unread: () => unread, incomplete: unread };
  const readings = await eachKey(await namespaces(), (namespace) => read.list<T>(resource, { namespace }));
  return {
    items: [...readings.values()].flatMap((reading) => (isRead(reading) ? reading.value : [])),
    unread: (namespace) => {
      const reading = readings.get(namespace);
      if (reading === undefined) return unread;
      return isRead(reading) ? undefined : reading.unread;
    },
    incomplete: unread,
  };
}

/** Namespaces of the backends that callouts name. */
export const namespacesNamed = ({ callouts }: Pick<Facts, 'callouts'>): readonly string[] => [
  ...new Set(callouts.flatMap(({ client }) => client.service?.namespace ?? [])),
];

/** The namespace of a `namespace/name` key. */
export const namespaceOf = (key: string): string => key.split('/', 1)[0] ?? key;
