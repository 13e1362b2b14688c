import type { Lookup } from '../../facts/lookup.ts';
import type { Lease } from '../../facts/objects/lease.ts';
import type { Right } from '../../facts/right.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const leaseRights: readonly Right[] = [
  toRead(resources.leases, ['list'], 'backends', 'which replica leads'),
];

/** Leases of the given namespaces: who leads there. */
export async function collectLeases(
  read: Attempts,
  namespaces: readonly string[],
): Promise<Lookup<readonly Lease[]>> {
  const readings = new Map(
    await Promise.all(
      namespaces.map(
        async (namespace) => [namespace, await read.list<Lease>(resources.leases, { namespace })] as const,
      ),
    ),
  );
  return fromReadings(readings, notRequested('Leases of a namespace that nobody asked about'));
}
