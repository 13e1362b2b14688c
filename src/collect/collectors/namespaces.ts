import { complete, type Lookup, lookup } from '../../facts/lookup.ts';
import type { Namespace } from '../../facts/objects/namespace.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';

export const namespaceRights: readonly Right[] = [
  toRead(resources.namespaces, ['list'], 'cluster', 'which namespaces exist, and what selectors match'),
];

/** All Namespaces; where listing is forbidden, those that callouts name, one by one. */
export async function collectNamespaces(
  read: Attempts,
  named: Promise<readonly string[]>,
): Promise<Lookup<Namespace>> {
  const all = await read.list<Namespace>(resources.namespaces);
  if (isRead(all)) return complete(all.value.map((namespace) => [namespace.metadata.name, namespace]));
  const { unread } = all;
  const single = unread.why === 'forbidden' ? await named : [];
  const readings = new Map(
    await Promise.all(
      single.map(
        async (name) =>
          // That they may not be listed is told already.
          [name, await read.get<Namespace>(resources.namespaces, name, { refusable: true })] as const,
      ),
    ),
  );
  const entries = new Map<string, Namespace>();
  for (const [name, reading] of readings) {
    if (isRead(reading) && reading.value !== undefined) entries.set(name, reading.value);
  }
  const missing = (name: string) => {
    const reading = readings.get(name);
    if (reading === undefined) return unread;
    return isRead(reading) ? undefined : reading.unread;
  };
  return lookup(entries, missing, unread);
}
