import { type Callout, calloutId } from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';

/** A certificate chain of a server in DER, leaf first, and who serves it. */
export interface ServedChain {
  readonly by: string;
  readonly presented: readonly Uint8Array[];
}

/** The chains that Pods served to probes. Empty without probes. */
export function servedChains(callout: Callout, { probes }: Pick<Facts, 'probes'>): readonly ServedChain[] {
  const id = calloutId(callout);
  const probed = probes.getIfKnown(id);
  const dialogues = [
    ...(probed?.replicas ?? []).flatMap(({ pod, dialogues: each }) =>
      each.map(({ handshake }) => ({ by: pod ?? 'an endpoint', handshake })),
    ),
    { by: client(callout), handshake: probed?.url?.handshake },
  ];
  return dialogues.flatMap(({ by, handshake }) =>
    handshake === undefined || handshake.presented.length === 0
      ? []
      : [{ by, presented: handshake.presented }],
  );
}

const client = ({ client: { url } }: Callout): string => url ?? 'the server';
