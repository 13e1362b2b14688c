import type { AdmissionCallout } from '../../facts/callout.ts';
import type { DryRun } from '../../facts/probes.ts';
import type { RequestShape } from '../cel/any-request.ts';
import { plainRequests } from '../sample/sample-request.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { type EvaluatedShape, endsInError, evaluatedShapes, isExcluded } from './condition-shapes.ts';
import { type MatchFacts, matchRequest } from './match.ts';
import { conditionOutcomes, conditionOutcomesOfAny } from './match-conditions.ts';

/** `deployments.apps`, as a dry run names it. */
const nameOf = ({ group, resource }: RequestShape): string | undefined =>
  group === undefined || resource === undefined ? undefined : [resource, group].filter(Boolean).join('.');

const isOf =
  ({ operation, resource }: Pick<DryRun, 'operation' | 'resource'>) =>
  ({ shape }: EvaluatedShape): boolean =>
    shape.operation === operation && nameOf(shape) === resource && shape.subresource === '';

/** True if objects of the same kind can pass with labels or other metadata that the test object lacks. */
export function canPassWithMetadata(
  callout: AdmissionCallout,
  { operation, resource }: Pick<DryRun, 'operation' | 'resource'>,
  facts: MatchFacts,
): boolean {
  const plain = plainRequests(callout, facts).find(
    (request) => request.operation === operation && nameOf(request) === resource && !request.subresource,
  );
  if (plain?.object === undefined) return false;
  const errs = (request: AdmissionRequest): boolean =>
    conditionOutcomes(callout, request, facts.version).some(({ outcome }) => outcome === 'error');
  return errs(plain) && !errs({ ...plain, moreLabels: true });
}

/** True if the webhook is called for this request, or its conditions may be true for another object. */
function passes(callout: AdmissionCallout, request: AdmissionRequest, facts: MatchFacts): boolean {
  const match = matchRequest(callout, request, facts);
  if (match.outcome === 'called') return true;
  if (match.outcome !== 'skipped' || match.by !== 'match-conditions') return false;
  return conditionOutcomesOfAny(callout, request, facts.version).every(({ outcome }) => outcome !== 'false');
}

/** A request with a test object that can reach the webhook and that its matchConditions do not reject. */
const passingRequest = (callout: AdmissionCallout, facts: MatchFacts): AdmissionRequest | undefined =>
  plainRequests(callout, facts).find((request) => passes(callout, request, facts));

/**
 * Predicts whether the API server rejects all requests that can reach this webhook, after its matchConditions
 * caused one rejection. Also true if nothing shows another result: the model did not predict this rejection
 * either.
 */
export function deniesOthers(
  callout: AdmissionCallout,
  refused: Pick<DryRun, 'operation' | 'resource'>,
  facts: MatchFacts,
): boolean {
  const reaching = evaluatedShapes(facts, callout).filter((one) => !isExcluded(one));
  const ofIt = isOf(refused);
  if (!reaching.some((one) => ofIt(one) && endsInError(one)) && canPassWithMetadata(callout, refused, facts))
    return false;
  if (reaching.every((one) => endsInError(one) || ofIt(one))) return true;
  const foreseen = reaching.some((one) => ofIt(one) && endsInError(one));
  return !foreseen && passingRequest(callout, facts) === undefined;
}
