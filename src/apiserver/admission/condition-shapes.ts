import { defined } from '../../basics/collections.ts';
import { derive } from '../../basics/derive.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { RequestShape } from '../cel/any-request.ts';
import { operations } from './admission-request.ts';
import { type ConditionOutcome, conditionOutcomesOfAny, forbiddenBy } from './match-conditions.ts';
import { serves } from './served-operations.ts';

const only = (values: readonly string[]): string | undefined =>
  values.length === 1 && values[0] !== '*' ? values[0] : undefined;

/**
 * The shapes of requests that a rule matches, one for each operation and resource: an expression can have a
 * different value for each. CONNECT has subresources only (pods/exec, services/proxy).
 */
function shapesOf({
  operations: ruled,
  apiGroups,
  apiVersions,
  resources,
}: RuleWithOperations): readonly RequestShape[] {
  const wanted = operations.filter((one) => ruled.includes('*') || ruled.includes(one));
  const [group, version] = [only(apiGroups), only(apiVersions)];
  const shapes = wanted.flatMap((operation) =>
    resources.map((entry) => {
      const [resource = '', subresource = ''] = entry.split('/');
      return {
        operation,
        ...defined({ group, version }),
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

/** A shape of requests, and the value of each matchCondition for all requests of that shape. */
export interface EvaluatedShape {
  readonly shape: RequestShape;
  readonly outcomes: readonly ConditionOutcome[];
}

/** True if discovery lists a resource and a verb for this shape, or does not list the resource at all. */
function exists(
  { operation, group, version, resource, subresource }: RequestShape,
  resources: readonly ServedResource[],
): boolean {
  const fitting = resources.filter((served) => {
    const [name, sub = ''] = served.resource.split('/');
    return (
      (group ?? served.group) === served.group &&
      (version ?? served.version) === served.version &&
      (resource ?? name) === name &&
      (subresource ?? sub) === sub
    );
  });
  return fitting.length === 0 || fitting.some((served) => serves(served, operation));
}

type ShapeFacts = Pick<Facts, 'served'> & Partial<Pick<Facts, 'version'>>;

/**
 * Every shape of requests that the rules match and that the API serves. An expression can take a second, and
 * several callers need its value.
 */
export const evaluatedShapes = derive(
  ['served', 'version'],
  ({ served, version }: ShapeFacts, callout: AdmissionCallout): readonly EvaluatedShape[] => {
    const resources = served.getIfKnown('served')?.resources ?? [];
    const shapes = callout.rules.flatMap(shapesOf);
    const possible = shapes.filter((shape) => exists(shape, resources));
    return (possible.length === 0 ? shapes : possible).map((shape) => ({
      shape,
      outcomes: conditionOutcomesOfAny(callout, shape, version),
    }));
  },
);

/** True if no other condition than this one excludes the requests, or is unknown. */
export const decidesAlone = ({ outcomes }: EvaluatedShape, at: number): boolean =>
  outcomes.every(({ outcome }, other) => other === at || outcome === 'true' || outcome === 'error');

/** True if another condition than this one is false: the webhook is not called for these requests. */
export const isExcluded = ({ outcomes }: EvaluatedShape, but?: number): boolean =>
  outcomes.some(({ outcome }, at) => at !== but && outcome === 'false');

/**
 * True if a condition is an error for all requests of the shape, and all others are true: failurePolicy
 * decides.
 */
export const endsInError = ({ outcomes }: EvaluatedShape): boolean =>
  outcomes.some(({ outcome }) => outcome === 'error') &&
  outcomes.every(({ outcome }) => outcome === 'true' || outcome === 'error');

/** True if conditions exclude every request that the rules match: the webhook is never called. */
export const isNeverMatched = (callout: AdmissionCallout, facts: ShapeFacts): boolean =>
  callout.matchConditions.length > 0 &&
  callout.rules.length > 0 &&
  evaluatedShapes(facts, callout).every((one) => isExcluded(one));

/** The API server's error for such a request; empty if the shape does not name the resource. */
export function brokenConditionSentence({ shape: { group, resource }, outcomes }: EvaluatedShape): string {
  return group === undefined || resource === undefined
    ? ''
    : forbiddenBy({ group, resource }, undefined, outcomes);
}

/** The API server's error if the matchConditions of a webhook reject every request that reaches it. */
export function refusedByConditions(callout: AdmissionCallout, facts: ShapeFacts): string | undefined {
  if (callout.matchConditions.length === 0 || callout.failurePolicy === 'Ignore') return undefined;
  const reaching = evaluatedShapes(facts, callout).filter((one) => !isExcluded(one));
  const [first] = reaching;
  return first !== undefined && reaching.every(endsInError) ? brokenConditionSentence(first) : undefined;
}
