import type { Callout } from '../../facts/callout.ts';
import { type AdmittedWrite, type CalloutProbes, probeConnectionsOf } from '../../facts/probes.ts';
import { ownCallEnd } from './own-call.ts';

/**
 * The last write that the webhook admitted, if it is like the reviews that fail: of the same operation, because a
 * handler can fail for each CREATE alone. Undefined also if the API server's own dry run passed: dry runs do not fail.
 */
export function writeDespiteReviews(callout: Callout, probes: CalloutProbes): AdmittedWrite | undefined {
  const { admittedWrite } = probes;
  if (admittedWrite === undefined || ownCallEnd(callout, probes).outcome === 'passes') return undefined;
  const reviews = probeConnectionsOf(probes).flatMap((connection) => connection.reviews);
  return reviews.every(({ operation }) => operation === admittedWrite.operation) ? admittedWrite : undefined;
}
