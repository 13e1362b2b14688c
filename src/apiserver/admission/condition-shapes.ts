import type { AdmissionCallout, RuleWithOperations } from '../../facts/callout.ts';
import type { ServedResource } from '../../facts/served-resources.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { RequestShape } from '../cel/any-request.ts';
import type { Operation } from './admission-request.ts';
import { type ConditionOutcome, conditionOutcomesOfAny, forbiddenBy } from './match-conditions.ts';
import { serves } from './served-operations.ts';

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

/** A request of this shape can be made; of what discovery does not list nobody knows. */
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

/** Expressions may cost a second each, and several ask what they come to. */
const judged = new WeakMap<AdmissionCallout, { of: Facts['served']; shapes: readonly JudgedShape[] }>();

/** Every kind of request that the rules cover and that can be made. */
export function judgedShapes(
  callout: AdmissionCallout,
  { served }: Pick<Facts, 'served'>,
): readonly JudgedShape[] {
  const known = judged.get(callout);
  if (known?.of === served) return known.shapes;
  const shapes = judgeShapes(callout, served);
  judged.set(callout, { of: served, shapes });
  return shapes;
}

function judgeShapes(callout: AdmissionCallout, served: Facts['served']): readonly JudgedShape[] {
  const resources = served.getIfKnown('served')?.resources ?? [];
  const shapes = callout.rules.flatMap(shapesOf);
  const possible = shapes.filter((shape) => exists(shape, resources));
  return (possible.length === 0 ? shapes : possible).map((shape) => ({
    shape,
    outcomes: conditionOutcomesOfAny(callout, shape),
  }));
}

/** Whether nothing but this condition keeps the requests from their end. */
export const decidesAlone = ({ outcomes }: JudgedShape, at: number): boolean =>
  outcomes.every(({ outcome }, other) => other === at || outcome === 'true' || outcome === 'error');

/** Another condition than this one passes the webhook over for them: they are none of its requests. */
export const isExcluded = ({ outcomes }: JudgedShape, but?: number): boolean =>
  outcomes.some(({ outcome }, at) => at !== but && outcome === 'false');

export const endsInError = ({ outcomes }: JudgedShape): boolean =>
  outcomes.some(({ outcome }) => outcome === 'error') &&
  outcomes.every(({ outcome }) => outcome === 'true' || outcome === 'error');

/** Some condition is false of every request that the rules cover: the webhook is never asked. */
export const isNeverMatched = (callout: AdmissionCallout, facts: Pick<Facts, 'served'>): boolean =>
  callout.matchConditions.length > 0 &&
  callout.rules.length > 0 &&
  judgedShapes(callout, facts).every((one) => isExcluded(one));

/** The API server's words for such a request; empty where the shape does not tell of which resource it would speak. */
export function brokenConditionSentence({ shape: { group, resource }, outcomes }: JudgedShape): string {
  return group === undefined || resource === undefined
    ? ''
    : forbiddenBy({ group, resource }, undefined, outcomes);
}

/** The API server's words where the matchConditions of a webhook refuse every request that could reach it. */
export function refusedByConditions(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'served'>,
): string | undefined {
  if (callout.matchConditions.length === 0 || callout.failurePolicy === 'Ignore') return undefined;
  const met = judgedShapes(callout, facts).filter((one) => !isExcluded(one));
  const [first] = met;
  return first !== undefined && met.every(endsInError) ? brokenConditionSentence(first) : undefined;
}
