import { parseChain } from '../apiserver/certificate/parse-chain.ts';
import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { holdersAmong } from '../facts/leaders.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { World } from '../facts/snapshot.ts';
import type { CertificateChain, ChainFacts } from './chains.ts';
import type { ServingSecret } from './serving-secret.ts';

/** The leaf that a replica presents, to compare it with what is kept. */
export const leafOf = ({ presented }: Pick<CertificateChain, 'presented'>): string =>
  Buffer.from(presented[0] ?? []).toString('base64');

/** Whether a container of the Pod started before the last write of what is kept; undefined where it is not known. */
function startedBefore(
  callout: Callout,
  pod: string | undefined,
  { secret }: ServingSecret,
  { pods }: Pick<ChainFacts, 'pods'>,
): boolean | undefined {
  const written = secret?.writers?.[0]?.at;
  const all = isServiceBacked(callout) ? pods.getIfKnown(keyOf(callout.client.service)) : [];
  const { status } = all?.find(({ metadata }) => metadata.name === pod) ?? {};
  const started = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.running?.startedAt ?? []);
  return written === undefined || started.length === 0 ? undefined : started.some((at) => at <= written);
}

/**
 * True where a process may have read the Secret before it was renewed: what it serves is the older certificate, and its
 * container started before the last write, as far as both are known.
 */
export function mayBeOutdated(
  callout: Callout,
  { presented, pod }: CertificateChain,
  serving: ServingSecret,
  facts: ChainFacts,
): boolean {
  const [[now], [next]] = [parseChain(presented, facts.version), parseChain(serving.chain, facts.version)];
  if (now === undefined || next === undefined || now.notBefore.at > next.notBefore.at) return false;
  return startedBefore(callout, pod, serving, facts) !== false;
}

/** The leader, where it alone serves what is kept, and was running when that was written: it reloads, others do not. */
export function onlyLeaderReloads(
  callout: Callout,
  current: readonly CertificateChain[],
  serving: ServingSecret,
  facts: ChainFacts & World<'leases'>,
): string | undefined {
  const [leader, another] = current;
  if (leader?.pod === undefined || another !== undefined) return undefined;
  if (startedBefore(callout, leader.pod, serving, facts) !== true) return undefined;
  return holdersAmong(callout, facts)?.has(leader.pod) === true ? leader.pod : undefined;
}
