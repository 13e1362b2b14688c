import { refText } from '../../facts/object-ref.ts';
import type { Finding } from '../check.ts';
import { refusedBy } from '../effect/refused-pods.ts';
import { askedEvidence } from './asked-evidence.ts';
import { blockBy, blockData, blockEvidence, chainOf } from './block.ts';
import type { DeadlockFacts, Told } from './deadlock-messages.ts';
import type { HostedByUrl } from './hosted-by-url.ts';

/** A webhook by URL: what listens there is told by its template alone, whether it answers by what it keeps from coming. */
export function atItsUrl(
  { callout, hosts }: HostedByUrl,
  facts: DeadlockFacts,
  find: Told,
): Finding | undefined {
  const told = facts.refusals.known('FailedCreate') ? refusedBy(callout, facts) : [];
  for (const serving of hosts) {
    const refusal = told.find(
      ({ workload, blame: { error } }) =>
        error.kind !== 'denial' && refText(workload) === refText(serving.ref),
    );
    const block = blockBy(callout, serving, facts);
    if (block === undefined) continue;
    if (refusal === undefined) return find('would', blockData(serving, block), blockEvidence(serving, block));
    const data = { chain: chainOf(serving, callout), webhook: callout.webhook };
    const said = { object: serving.ref, field: 'Event FailedCreate', value: refusal.event.message ?? '' };
    const found = find('refused', data, [said, ...askedEvidence(callout, block.asked)], 'observed');
    // Each API server dials its own host: those that still have such a Pod are answered.
    const none = serving.wanted === undefined || refusal.missing >= serving.wanted;
    return { ...found, consequence: none ? 'failing' : 'degraded' };
  }
  return undefined;
}
