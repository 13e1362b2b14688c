import type { Callout } from '../facts/callout.ts';
import { calloutId } from '../facts/callout.ts';
import type { Pod } from '../facts/objects/pod.ts';
import type { Facts } from '../facts/snapshot.ts';

/** The error of a connection to a Pod whose packets are lost or rejected on the way. */
const silence = /i\/o timeout|deadline exceeded|timed out|no route to host|network is unreachable/;

/** True if the process of this Pod responds inside its Pod, and not to the API server's proxy. */
export function isCutOff(
  { metadata }: Pod,
  { callout }: { readonly callout: Callout },
  { probes }: Pick<Facts, 'probes'>,
): boolean {
  const replicas = probes.getIfKnown(calloutId(callout))?.replicas ?? [];
  return replicas.some(
    ({ pod, dialogues, proxy }) =>
      pod === metadata.name &&
      proxy?.reached === false &&
      (proxy.status === 0 || silence.test(proxy.text)) &&
      dialogues.some(({ reviews }) => reviews.some(({ answer }) => answer !== undefined)),
  );
}
