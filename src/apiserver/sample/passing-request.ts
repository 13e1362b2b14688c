import type { AdmissionCallout } from '../../facts/callout.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../admission/match.ts';
import { conditionOutcomesOfAny } from '../admission/match-conditions.ts';
import { plainRequests } from './sample-request.ts';

/** Its conditions came to an answer for it, and for another object of its kind that may well be yes. */
function passes(callout: AdmissionCallout, request: AdmissionRequest, facts: MatchFacts): boolean {
  const match = matchRequest(callout, request, facts);
  if (match.outcome === 'called') return true;
  if (match.outcome !== 'skipped' || match.by !== 'match-conditions') return false;
  return conditionOutcomesOfAny(callout, request).every(({ outcome }) => outcome !== 'false');
}

/** A request about a made-up object that could reach the webhook and that its matchConditions do not refuse. */
export const passingRequest = (callout: AdmissionCallout, facts: MatchFacts): AdmissionRequest | undefined =>
  plainRequests(callout, facts).find((request) => passes(callout, request, facts));
