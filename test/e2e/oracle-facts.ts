import { networkInterfaces } from 'node:os';
import { openCluster } from '../../src/collect/kube/open-cluster.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';
import { collectAll } from '../support/collect-all.ts';

/** All facts that the product reads from the cluster. */
export async function factsOf(kubeconfig: string): Promise<Snapshot> {
  const reader = await openCluster({ kubeconfig }, process.env);
  const { snapshot } = await collectAll(reader, { examineAll: true });
  return { ...snapshot, facts: { ...snapshot.facts, takenAt: new Date().toISOString() } };
}

/** An IPv4 address of this machine that an EndpointSlice may contain: not loopback. */
export function ownAddress(): string {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal)?.address;
  if (address === undefined) throw new Error('This machine has no address but the loopback');
  return address;
}
