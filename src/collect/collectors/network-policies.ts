import type { Lookup } from '../../facts/lookup.ts';
import type { NetworkPolicy } from '../../facts/objects/network-policy.ts';
import type { Right } from '../../facts/right.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const networkPolicyRights: readonly Right[] = [
  toRead(resources.networkPolicies, ['list'], 'backends', 'who gets through to the replicas'),
];

/** NetworkPolicies of the given namespaces: who gets through to their Pods. */
export async function collectNetworkPolicies(
  read: Attempts,
  namespaces: readonly string[],
): Promise<Lookup<readonly NetworkPolicy[]>> {
  const list = (namespace: string) => read.list<NetworkPolicy>(resources.networkPolicies, { namespace });
  const readings = new Map(
    await Promise.all(namespaces.map(async (namespace) => [namespace, await list(namespace)] as const)),
  );
  return fromReadings(readings, notRequested('NetworkPolicies of a namespace that nobody asked about'));
}
