import { heldAnywhere } from '../../facts/leaders.ts';
import { type Lookup, lookup } from '../../facts/lookup.ts';
import type { Lease } from '../../facts/objects/lease.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const leaseRights: readonly Right[] = [
  toRead(resources.leases, ['list'], 'backends', 'which replica leads'),
];

const rest = notRequested('Leases of a namespace that nobody asked about');

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
  return fromReadings(readings, rest);
}

/** Nodes keep their heartbeats in a namespace of their own: one Lease each. */
const heartbeats = { fieldSelector: 'metadata.namespace!=kube-node-lease' };

/**
 * The given Leases, and those of all other namespaces that one of these Pods holds, from one list. Where nobody may list
 * them everywhere, the given ones.
 */
export async function withHeldAnywhere(
  read: Attempts,
  near: Lookup<readonly Lease[]>,
  pods: readonly Pod[],
): Promise<Lookup<readonly Lease[]>> {
  const everywhere = await read.list<Lease>(resources.leases, { query: heartbeats, refusable: true });
  if (!isRead(everywhere)) return near;
  const known = new Map(near.entries());
  const far = new Map<string, readonly Lease[]>();
  for (const lease of heldAnywhere(everywhere.value, pods)) {
    const { namespace = '' } = lease.metadata;
    if (near.why(namespace)?.why === 'not-requested')
      far.set(namespace, [...(far.get(namespace) ?? []), lease]);
  }
  return lookup(new Map([...known, ...far]), near.why, rest);
}
