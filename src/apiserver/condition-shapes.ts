import type { AdmissionCallout, RuleWithOperations } from '../facts/callout.ts';
import type { Operation } from './admission-request.ts';
import type { RequestShape } from './cel/any-request.ts';
import { type ConditionOutcome, conditionOutcomesOfAny, forbiddenBy } from './match-conditions.ts';

const everyOperation: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

const only = (values: readonly string[]): string | undefined =>
  values.length === 1 && values[0] !== '*' ? values[0] : undefined;

/**
 * What a rule covers, taken apart by operation and resource: of each part an expression may say another thing. What is
 * connected to is a subresource (pods/exec, services/proxy) wherever the API has it.
 */
function shapesOf({
  operations,
  apiGroups,
  apiVersions,
  resources,
}: RuleWithOperations): readonly RequestShape[] {
  const wanted = everyOperation.filter((one) => operations.includes('*') || operations.includes(one));
  const [group, version] = [only(apiGroups), only(apiVersions)];
  const shapes = wanted.flatMap((operation) =>
    resources.map((entry) => {
      const [resource = '', subresource = ''] = entry.split('/');
      return {
        operation,
        ...(group !== undefined && { group }),
        ...(version !== undefined && { version }),
        ...(resource !== '*' && { resource }),
        ...(subresource !== '*' && { subresource }),
      };
    }),
  );
  const possible = shapes.filter(
    ({ operation, subresource }) => operation !== 'CONNECT' || subresource !== '',
  );
  return possible.length === 0 ? shapes : possible;
}

/** A kind of request, and what each matchCondition comes to for all of that kind. */
export interface JudgedShape {
  readonly shape: RequestShape;
  readonly outcomes: readonly ConditionOutcome[];
}

/** Every kind of request that the rules cover. */
export const judgedShapes = (callout: AdmissionCallout): readonly JudgedShape[] =>
  callout.rules
    .flatMap(shapesOf)
    .map((shape) => ({ shape, outcomes: conditionOutcomesOfAny(callout, shape) }));

/** Whether nothing but this condition keeps the requests from their end. */
export const decidesAlone = ({ outcomes }: JudgedShape, at: number): boolean =>
  outcomes.every(({ outcome }, other) => other === at || outcome === 'true' || outcome === 'error');

const isRefused = ({ outcomes }: JudgedShape): boolean =>
  outcomes.some(({ outcome }) => outcome === 'error') &&
  outcomes.every(({ outcome }) => outcome === 'true' || outcome === 'error');

/**
 * The API server's words where the matchConditions of a webhook refuse every request that its rules cover; an empty text
 * where the rules do not tell of which resource it would speak.
 */
export function refusedByConditions(callout: AdmissionCallout): string | undefined {
  if (callout.matchConditions.length === 0 || callout.failurePolicy === 'Ignore') return undefined;
  const judged = judgedShapes(callout);
  const [first] = judged;
  if (first === undefined || !judged.every(isRefused)) return undefined;
  const { group, resource } = first.shape;
  return group === undefined || resource === undefined
    ? ''
    : forbiddenBy({ group, resource }, undefined, first.outcomes);
}
