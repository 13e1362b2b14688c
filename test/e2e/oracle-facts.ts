import { networkInterfaces } from 'node:os';
import { collect } from '../../src/collect/collect.ts';
import { openCluster } from '../../src/collect/kube/open-cluster.ts';
import type { Callout } from '../../src/facts/callout.ts';
import type { Snapshot } from '../../src/facts/snapshot.ts';

/** Everything that the product itself reads of the cluster. */
export async function factsOf(kubeconfig: string): Promise<Snapshot> {
  const reader = await openCluster({ kubeconfig }, process.env);
  const { snapshot } = await collect(reader, {
    choose: (all: readonly Callout[]) => all,
    everything: true,
    now: new Date(),
    routing: () => ({ mode: undefined }),
  });
  return snapshot;
}

/** An IPv4 address of this machine that an EndpointSlice may hold: not the loopback. */
export function ownAddress(): string {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal)?.address;
  if (address === undefined) throw new Error('This machine has no address but the loopback');
  return address;
}
