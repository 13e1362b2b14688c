import { limits } from '../../basics/limits.ts';
import type { AdmissionCallout, MatchCondition } from '../../facts/callout.ts';
import { groupResourceOf } from '../../facts/resource.ts';
import type { Unread } from '../../facts/unread.ts';
import { type RequestShape, variablesOfAny } from '../cel/any-request.ts';
import { chargedSoFar, costLimits, renewBudget, spend } from '../cel/cost.ts';
import { resultOf, type Variables } from '../cel/evaluate.ts';
import { namesVariable, parse, unlessTooDeep } from '../cel/parse.ts';
import { requestVariables } from '../cel/request-variables.ts';
import { type AccessCheck, CelError, NotEvaluable } from '../cel/value.ts';
import { aggregate } from '../sentences/aggregate.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** The value of one expression; `error` has the error message of the API server. */
export type ConditionOutcome =
  | { readonly outcome: 'true' | 'false' }
  /** `unread`: above a limit of this program. `check`: it depends on an unchecked permission of the user. */
  | { readonly outcome: 'unknown'; readonly unread?: Unread; readonly check?: AccessCheck }
  /** `because`: the part of cel-go. */
  | { readonly outcome: 'error'; readonly text: string; readonly because: string };

/** The result of all matchConditions of a webhook for one request. */
export type Conditions =
  | { readonly outcome: 'hold' }
  | { readonly outcome: 'unknown'; readonly unread?: Unread }
  /** The webhook is skipped; `by` names the condition, absent for an error with failurePolicy Ignore. */
  | { readonly outcome: 'skipped'; readonly by?: string }
  /** The request is refused with 403, and the webhook is not called. */
  | { readonly outcome: 'rejected'; readonly text: string };

/** Placeholder for an unknown name in the error message of the API server. */
const someName = 'NAME';

const whyUnknown: Readonly<Record<NonNullable<NotEvaluable['why']>, string>> = {
  'too-costly': `its evaluation takes more than ${limits.expressionSteps} steps`,
  'may-end': 'it may cost more than the API server allows',
  'too-many': `the matchConditions of this run take more than ${limits.runSteps} steps together, or its time`,
};

const tooCostly = (name: string, why: keyof typeof whyUnknown): Unread => ({
  what: `matchCondition ${name}`,
  why: 'too-large',
  detail: whyUnknown[why],
});

function outcomeOf(
  { name, expression }: MatchCondition,
  variables: Variables,
  version: string | undefined,
): ConditionOutcome {
  try {
    renewBudget();
    spend(expression.length);
    const value = resultOf(parse(expression), variables, version);
    return typeof value === 'boolean' ? { outcome: value ? 'true' : 'false' } : { outcome: 'unknown' };
  } catch (error) {
    if (error instanceof CelError) {
      const because = error.message;
      return { outcome: 'error', text: `expression '${expression}' resulted in error: ${because}`, because };
    }
    if (error instanceof NotEvaluable)
      return {
        outcome: 'unknown',
        ...(error.why === undefined ? {} : { unread: tooCostly(name, error.why) }),
        ...(error.check === undefined ? {} : { check: error.check }),
      };
    throw error;
  }
}

const overBudget =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/**
 * The value of each expression. If together they exceed the cost limit, the result is an error at the
 * expression that exceeds it, whatever the others return (apiserver admission/plugin/cel/condition.go
 * ForInput).
 */
function outcomesOf(
  conditions: readonly MatchCondition[],
  variables: Variables,
  version: string | undefined,
): readonly ConditionOutcome[] {
  const outcomes: ConditionOutcome[] = [];
  let [least, most] = [0, 0];
  for (const condition of conditions) {
    const found = outcomeOf(condition, variables, version);
    const cost = chargedSoFar();
    least += cost.least;
    most += cost.most;
    if (least > costLimits.conditions)
      return conditions.map((_, at) =>
        at === outcomes.length
          ? { outcome: 'error', text: overBudget, because: overBudget }
          : { outcome: 'true' },
      );
    outcomes.push(found);
  }
  return most > costLimits.conditions ? outcomes.map(() => ({ outcome: 'unknown' })) : outcomes;
}

/** The value of each expression for one request. */
export const conditionOutcomes = (
  { matchConditions }: Pick<AdmissionCallout, 'matchConditions'>,
  request: AdmissionRequest,
  version?: string,
  as?: AdmissionRequest,
): readonly ConditionOutcome[] =>
  matchConditions.length === 0 ? [] : outcomesOf(matchConditions, requestVariables(request, as), version);

/** Unchecked permissions of the user that the matchConditions depend on: one for each condition. */
export const accessChecks = (
  callout: Pick<AdmissionCallout, 'matchConditions'>,
  request: AdmissionRequest,
): readonly AccessCheck[] =>
  conditionOutcomes(callout, { allowed: {}, ...request }).flatMap((one) =>
    one.outcome === 'unknown' && one.check !== undefined ? [one.check] : [],
  );

/** The value of each expression for all requests of a shape; unknown if it differs between them. */
export const conditionOutcomesOfAny = (
  { matchConditions }: Pick<AdmissionCallout, 'matchConditions'>,
  shape: RequestShape,
  version?: string,
): readonly ConditionOutcome[] => outcomesOf(matchConditions, variablesOfAny(shape), version);

/** Whether an expression uses a variable; undefined if the expression cannot be parsed. */
export function readsVariable({ expression }: MatchCondition, name: string): boolean | undefined {
  try {
    const tree = parse(expression);
    return unlessTooDeep(() => namesVariable(tree, name));
  } catch (error) {
    if (error instanceof NotEvaluable) return undefined;
    throw error;
  }
}

/** The API server's refusal for the expressions with an error, in their order. */
export function forbiddenBy(
  { group, resource }: Pick<AdmissionRequest, 'group' | 'resource'>,
  name: string | undefined,
  outcomes: readonly ConditionOutcome[],
): string {
  const errors = outcomes.flatMap((one) => (one.outcome === 'error' ? [one.text] : []));
  const where = groupResourceOf({ group, resource });
  return `${where} "${name ?? someName}" is forbidden: ${aggregate(errors)}`;
}

/** A condition whose expression returns an error, as the API server reported. */
export interface ConditionError {
  /** Index in matchConditions. */
  readonly at: number;
  /** The part of cel-go. */
  readonly because: string;
}

/** The conditions in an error of the compiler, which quotes the failing line: ` | object.spec(`. */
function uncompiledIn(
  { matchConditions }: Pick<AdmissionCallout, 'matchConditions'>,
  message: string,
): readonly ConditionError[] {
  const error = / is forbidden: .*?(?<error>compilation error: [^\n]*)/s.exec(message)?.groups?.error;
  if (error === undefined) return [];
  const quoted = new Set([...message.matchAll(/^ \| (?<line>.*)$/gm)].map(({ groups }) => groups?.line));
  return matchConditions.flatMap(({ expression }, at) =>
    expression.split('\n').some((line) => quoted.has(line)) ? [{ at, because: error }] : [],
  );
}

/** The matchConditions of a webhook that the API server's refusal quotes; it names no webhook. */
export function conditionErrorsIn(
  callout: Pick<AdmissionCallout, 'matchConditions'>,
  message: string,
): readonly ConditionError[] {
  const quoted = / is forbidden: (?<list>\[)?(?<errors>expression '.*)$/s.exec(message)?.groups;
  if (quoted?.errors === undefined) return uncompiledIn(callout, message);
  const errors = quoted.list === undefined ? quoted.errors : quoted.errors.replace(/\]$/, '');
  return callout.matchConditions.flatMap(({ expression }, at) => {
    const prefix = `expression '${expression}' resulted in error: `;
    const found = errors.indexOf(prefix);
    if (found < 0) return [];
    const [because = ''] = errors.slice(found + prefix.length).split(", expression '");
    return [{ at, because }];
  });
}

/**
 * The result of the matchConditions for a request, also if only possible users are known: unknown if it
 * differs between them.
 *
 * @param version of the API server.
 * @param as the version of the request that the webhook gets, if it is another one.
 */
export function conditionsOf(
  callout: Pick<AdmissionCallout, 'matchConditions' | 'failurePolicy'>,
  request: AdmissionRequest,
  version?: string,
  as?: AdmissionRequest,
): Conditions {
  if (callout.matchConditions.length === 0) return { outcome: 'hold' };
  const [first = conditionsForUser(callout, request, version, as), ...others] = (request.oneOf ?? []).map(
    (user) => conditionsForUser(callout, { ...request, user }, version, as && { ...as, user }),
  );
  return others.every(({ outcome }) => outcome === first.outcome) ? first : { outcome: 'unknown' };
}

/**
 * The result of the matchConditions for one user (apiserver webhook/matchconditions/matcher.go). A false
 * condition skips the webhook, whatever the others return; then failurePolicy decides about errors. An
 * expression that cannot be evaluated makes the result unknown, unless another is false.
 */
function conditionsForUser(
  callout: Pick<AdmissionCallout, 'matchConditions' | 'failurePolicy'>,
  request: AdmissionRequest,
  version?: string,
  as?: AdmissionRequest,
): Conditions {
  const outcomes = conditionOutcomes(callout, request, version, as);
  const excluding = outcomes.findIndex(({ outcome }) => outcome === 'false');
  const name = callout.matchConditions[excluding]?.name;
  if (name !== undefined) return { outcome: 'skipped', by: name };
  const errors = outcomes.flatMap((one) => (one.outcome === 'error' ? [one.text] : []));
  if (errors.length > 0 && callout.failurePolicy === 'Ignore') return { outcome: 'skipped' };
  const unknown = outcomes.find((one) => one.outcome === 'unknown');
  if (unknown !== undefined) return unknown;
  if (errors.length === 0) return { outcome: 'hold' };
  return { outcome: 'rejected', text: forbiddenBy(request, request.name, outcomes) };
}
