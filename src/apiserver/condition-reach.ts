import type { AdmissionCallout } from '../facts/callout.ts';
import type { DryRun } from '../facts/probes.ts';
import type { RequestShape } from './cel/any-request.ts';
import { isLeftOut, isRefused, type JudgedShape, judgedShapes } from './condition-shapes.ts';
import type { MatchFacts } from './match.ts';
import { passingRequest } from './sample/passing-request.ts';

/** `deployments.apps`, as a dry run names it. */
const nameOf = ({ group, resource }: RequestShape): string | undefined =>
  group === undefined || resource === undefined ? undefined : [resource, group].filter(Boolean).join('.');

const isOf =
  ({ operation, resource }: Pick<DryRun, 'operation' | 'resource'>) =>
  ({ shape }: JudgedShape): boolean =>
    shape.operation === operation && nameOf(shape) === resource && shape.subresource === '';

/**
 * The API server refused a request for the matchConditions of this webhook: whether it would refuse every other one that
 * could reach it. True as well where nothing shows another end: nobody foresaw this refusal either.
 */
export function refusesTheRest(
  callout: AdmissionCallout,
  refused: Pick<DryRun, 'operation' | 'resource'>,
  facts: MatchFacts,
): boolean {
  const met = judgedShapes(callout, facts).filter((one) => !isLeftOut(one));
  const ofIt = isOf(refused);
  if (met.every((one) => isRefused(one) || ofIt(one))) return true;
  const foreseen = met.some((one) => ofIt(one) && isRefused(one));
  return !foreseen && passingRequest(callout, facts) === undefined;
}
