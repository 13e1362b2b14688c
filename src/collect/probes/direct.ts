import type { Callout } from '../../facts/callout.ts';
import type { Dialogue } from '../../facts/probes.ts';
import type { Peer } from './peer.ts';
import { orCutOff, type Run } from './run.ts';
import { partOf, talk } from './talk.ts';
import type { ReplicaTarget } from './targets.ts';

/**
 * How much a connection from here to the Pod's address is to say: `whole` in place of a port-forward that did not carry,
 * `handshake` beside one that did, where nobody told of the way to the address.
 */
export type DirectExtent = 'whole' | 'handshake';

/**
 * A replica at its own address: the Pod network without kubelet and API server. Only where this is one of the cluster's
 * Pods: elsewhere the same address may be another machine.
 */
export async function askDirectly(
  run: Run,
  callout: Callout,
  { endpoint }: ReplicaTarget,
  peer: Peer,
  key: string,
  extent: DirectExtent,
): Promise<Dialogue | undefined> {
  const what = `a connection to ${endpoint}`;
  const outcome = await orCutOff(run, what, () => talk(run, key, peer, extent));
  const rule = { apiGroups: [], resources: [], verbs: [] };
  return partOf(run, outcome, callout, what, false, rule).dialogues[0];
}
