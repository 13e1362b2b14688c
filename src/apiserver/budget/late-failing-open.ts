import { isDeepStrictEqual } from 'node:util';
import { type AdmissionCallout, calloutId, failsOpen } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { impactOf, type MatchedRequest } from '../admission/impact.ts';
import type { MatchFacts } from '../admission/match.ts';
import { heartbeats, type VitalRequest, vitalRequestsMatched } from '../admission/vital-request.ts';
import { lossOf } from '../connection/loss.ts';
import type { ProbeFacts } from '../connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../connection/probed-endpoints.ts';
import { timelineOf } from './timeline.ts';

type Read = Pick<Facts, 'version'> & MatchFacts;

/**
 * True if the client of the request gives up before all open webhooks of the same server have failed, and this is the
 * first of them.
 */
function outlasts(
  callout: AdmissionCallout,
  webhooks: readonly AdmissionCallout[],
  { request, clientTimeout }: VitalRequest,
  facts: Read,
): boolean {
  if (clientTimeout === undefined) return false;
  const peers = webhooks.filter(
    (other) =>
      failsOpen(other) &&
      isDeepStrictEqual(other.client.service, callout.client.service) &&
      isDeepStrictEqual(other.client.url, callout.client.url) &&
      impactOf(other, [{ request }], facts).matched.length > 0,
  );
  return peers[0] === callout && timelineOf(peers, () => 'hangs', { clientTimeout }).end === 'timed-out';
}

/** Seconds that the client of the request waits. */
export const clientPatience = ({ clientTimeout = Number.POSITIVE_INFINITY }: VitalRequest): number =>
  clientTimeout;

/**
 * The heartbeats whose clients end them before this webhook, which fails open, does so: they fail while its server does
 * not respond. Those with the shortest time first. Throws NotKnown if a required read failed.
 *
 * @param webhooks all webhooks of the cluster: others of the same server delay the same request.
 */
export const endedBeforeFailingOpen = (
  callout: AdmissionCallout,
  webhooks: readonly AdmissionCallout[],
  facts: Read,
): readonly MatchedRequest<VitalRequest>[] =>
  vitalRequestsMatched(callout, heartbeats(callout, facts), facts)
    .filter((one) => outlasts(callout, webhooks, one.about, facts))
    .toSorted((a, b) => clientPatience(a.about) - clientPatience(b.about));

/** True if probes show that the server does not respond to the control plane. */
export function doesNotRespond(callout: AdmissionCallout, facts: ProbeFacts): boolean {
  if (!facts.probes.known(calloutId(callout))) return false;
  const usable = usableEndpoints(callout, facts);
  return (
    usable.length > 0 &&
    usable.every((met) => hasFailed(met) && (lossOf(met) === 'dropped' || met.callResult.fault === 'hangs'))
  );
}
