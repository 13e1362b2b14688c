import { type Callout, calloutId, isServiceBacked } from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';

/**
 * The Lease whose holder alone was seen to serve, of several replicas that were asked: `namespace/name`. Undefined where
 * others serve too, and where nobody asked.
 */
export function gatingLease(
  callout: Callout,
  { probes, leases }: Pick<Facts, 'probes' | 'leases'>,
): string | undefined {
  if (!isServiceBacked(callout)) return undefined;
  const { namespace } = callout.client.service;
  const id = calloutId(callout);
  const replicas = (probes.getIfKnown(id)?.replicas ?? []).filter(
    ({ pod, dialogues }) => pod !== undefined && dialogues.length > 0,
  );
  const serving = replicas.filter(({ dialogues }) => dialogues.every(({ failure }) => failure === undefined));
  const [only] = serving;
  if (replicas.length < 2 || serving.length !== 1 || only?.pod === undefined) return undefined;
  const { pod } = only;
  const here = leases.getIfKnown(namespace) ?? [];
  // client-go: the holder is the host's name, which is the Pod's, and what tells two processes apart.
  const held = here.find(
    ({ spec }) => spec?.holderIdentity === pod || spec?.holderIdentity?.startsWith(`${pod}_`),
  );
  return held && `${namespace}/${held.metadata.name}`;
}

/** Checks whose findings say that only the leader serves. */
export const leaderGatedChecks = ['leader-gated-listener', 'leader-gated-answer'] as const;
