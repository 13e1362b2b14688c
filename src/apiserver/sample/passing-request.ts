import type { AdmissionCallout } from '../../facts/callout.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../admission/match.ts';
import { conditionOutcomesOfAny } from '../admission/match-conditions.ts';
import { plainRequests } from './sample-request.ts';

/**
 * True if the webhook is called for this request, or its conditions may be true for another object of its
 * kind.
 */
function passes(callout: AdmissionCallout, request: AdmissionRequest, facts: MatchFacts): boolean {
  const match = matchRequest(callout, request, facts);
  if (match.outcome === 'called') return true;
  if (match.outcome !== 'skipped' || match.by !== 'match-conditions') return false;
  return conditionOutcomesOfAny(callout, request).every(({ outcome }) => outcome !== 'false');
}

/** A request with a test object that can reach the webhook and that its matchConditions do not reject. */
export const passingRequest = (callout: AdmissionCallout, facts: MatchFacts): AdmissionRequest | undefined =>
  plainRequests(callout, facts).find((request) => passes(callout, request, facts));
