import type { AdmissionCallout, MatchCondition } from '../../facts/callout.ts';
import { limits } from '../../facts/limits.ts';
import type { Unread } from '../../facts/unread.ts';
import { type RequestShape, variablesOfAny } from '../cel/any-request.ts';
import { chargedSoFar, costLimits, renewBudget, spend } from '../cel/cost.ts';
import { resultOf, type Variables } from '../cel/evaluate.ts';
import { names, parse, unlessTooDeep } from '../cel/parse.ts';
import { requestVariables } from '../cel/request-variables.ts';
import { type AccessCheck, CannotTell, CelError } from '../cel/value.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** What one expression comes to. `error` with the API server's sentence. */
export type ConditionOutcome =
  | { readonly outcome: 'true' | 'false' }
  /** `unread`: this program gave up. `check`: it depends on a right of the user that was not asked about. */
  | { readonly outcome: 'unknown'; readonly unread?: Unread; readonly check?: AccessCheck }
  /** `because`: cel-go's own part of it. */
  | { readonly outcome: 'error'; readonly text: string; readonly because: string };

/** What all matchConditions of a webhook come to for one request. */
export type Conditions =
  | { readonly outcome: 'hold' }
  | { readonly outcome: 'unknown'; readonly unread?: Unread }
  /** The webhook is passed over; `by` names the condition, none where an error with failurePolicy Ignore does it. */
  | { readonly outcome: 'skipped'; readonly by?: string }
  /** The request is refused with 403, and the webhook not asked. */
  | { readonly outcome: 'rejected'; readonly text: string };

/** Stands for a name that nobody can foresee, in the API server's sentence. */
const someName = 'NAME';

const whyUnknown: Readonly<Record<NonNullable<CannotTell['why']>, string>> = {
  'too-costly': `its evaluation takes more than ${limits.expressionSteps} steps`,
  'may-end': 'it may cost more than the API server allows',
  'too-many': `the matchConditions of this run take more than ${limits.runSteps} steps together, or its time`,
};

const tooCostly = (name: string, why: keyof typeof whyUnknown): Unread => ({
  what: `matchCondition ${name}`,
  why: 'too-large',
  detail: whyUnknown[why],
});

function outcomeOf({ name, expression }: MatchCondition, variables: Variables): ConditionOutcome {
  try {
    renewBudget();
    spend(expression.length);
    const value = resultOf(parse(expression), variables);
    return typeof value === 'boolean' ? { outcome: value ? 'true' : 'false' } : { outcome: 'unknown' };
  } catch (error) {
    if (error instanceof CelError) {
      const because = error.message;
      return { outcome: 'error', text: `expression '${expression}' resulted in error: ${because}`, because };
    }
    if (error instanceof CannotTell)
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
 * Each expression by itself. Where together they cost too much, that is the end, whatever any of them comes to (apiserver
 * admission/plugin/cel/condition.go ForInput): an error at the one that is too many.
 */
function outcomesOf(
  conditions: readonly MatchCondition[],
  variables: Variables,
): readonly ConditionOutcome[] {
  const outcomes: ConditionOutcome[] = [];
  let [least, most] = [0, 0];
  for (const condition of conditions) {
    const found = outcomeOf(condition, variables);
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

/** Each expression by itself, for one request. */
export const conditionOutcomes = (
  { matchConditions }: Pick<AdmissionCallout, 'matchConditions'>,
  request: AdmissionRequest,
  as?: AdmissionRequest,
): readonly ConditionOutcome[] =>
  matchConditions.length === 0 ? [] : outcomesOf(matchConditions, requestVariables(request, as));

/** Rights of the user on which the matchConditions depend and that the request does not tell: one of each condition. */
export const accessChecks = (
  callout: Pick<AdmissionCallout, 'matchConditions'>,
  request: AdmissionRequest,
): readonly AccessCheck[] =>
  conditionOutcomes(callout, { allowed: {}, ...request }).flatMap((one) =>
    one.outcome === 'unknown' && one.check !== undefined ? [one.check] : [],
  );

/** Each expression by itself, for whatever request of a shape: what is not unknown holds for all of them. */
export const conditionOutcomesOfAny = (
  { matchConditions }: Pick<AdmissionCallout, 'matchConditions'>,
  shape: RequestShape,
): readonly ConditionOutcome[] => outcomesOf(matchConditions, variablesOfAny(shape));

/** Whether an expression reads a variable; undefined where we cannot read the expression. */
export function readsVariable({ expression }: MatchCondition, name: string): boolean | undefined {
  try {
    const tree = parse(expression);
    return unlessTooDeep(() => names(tree, name));
  } catch (error) {
    if (error instanceof CannotTell) return undefined;
    throw error;
  }
}

/** apimachinery's aggregate: one error as it is, several in brackets, each once. */
function aggregate(errors: readonly string[]): string {
  const [first = '', ...others] = new Set(errors);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}

/** The API server's refusal for the expressions that ended in an error, in their order. */
export function forbiddenBy(
  { group, resource }: Pick<AdmissionRequest, 'group' | 'resource'>,
  name: string | undefined,
  outcomes: readonly ConditionOutcome[],
): string {
  const errors = outcomes.flatMap((one) => (one.outcome === 'error' ? [one.text] : []));
  const where = group === '' ? resource : `${resource}.${group}`;
  return `${where} "${name ?? someName}" is forbidden: ${aggregate(errors)}`;
}

/** A condition of which the API server said that its expression ended in an error. */
export interface ConditionError {
  /** Place among the matchConditions. */
  readonly at: number;
  /** cel-go's own part of it. */
  readonly because: string;
}

/** The conditions that an error of the compiler is about: it quotes the line at which it stopped, ` | object.spec(`. */
function uncompiledIn(
  { matchConditions }: Pick<AdmissionCallout, 'matchConditions'>,
  message: string,
): readonly ConditionError[] {
  const said = / is forbidden: .*?(?<error>compilation error: [^\n]*)/s.exec(message)?.groups?.error;
  if (said === undefined) return [];
  const quoted = new Set([...message.matchAll(/^ \| (?<line>.*)$/gm)].map(({ groups }) => groups?.line));
  return matchConditions.flatMap(({ expression }, at) =>
    expression.split('\n').some((line) => quoted.has(line)) ? [{ at, because: said }] : [],
  );
}

/** The matchConditions of a webhook that the API server's refusal of a request quotes; it names no webhook. */
export function conditionErrorsIn(
  callout: Pick<AdmissionCallout, 'matchConditions'>,
  message: string,
): readonly ConditionError[] {
  const quoted = / is forbidden: (?<list>\[)?(?<errors>expression '.*)$/s.exec(message)?.groups;
  if (quoted?.errors === undefined) return uncompiledIn(callout, message);
  const errors = quoted.list === undefined ? quoted.errors : quoted.errors.replace(/\]$/, '');
  return callout.matchConditions.flatMap(({ expression }, at) => {
    const says = `expression '${expression}' resulted in error: `;
    const found = errors.indexOf(says);
    if (found < 0) return [];
    const [because = ''] = errors.slice(found + says.length).split(", expression '");
    return [{ at, because }];
  });
}

/**
 * {@link endOf} for a request of which only candidates for its user may be known: what they do not agree about nobody
 * knows.
 *
 * @param as the version of the request that the webhook gets, where it is another.
 */
export function conditionsOf(
  callout: Pick<AdmissionCallout, 'matchConditions' | 'failurePolicy'>,
  request: AdmissionRequest,
  as?: AdmissionRequest,
): Conditions {
  if (callout.matchConditions.length === 0) return { outcome: 'hold' };
  const [first = endOf(callout, request, as), ...others] = (request.oneOf ?? []).map((user) =>
    endOf(callout, { ...request, user }, as && { ...as, user }),
  );
  return others.every(({ outcome }) => outcome === first.outcome) ? first : { outcome: 'unknown' };
}

/**
 * Whether the matchConditions let a request through to its webhook (apiserver webhook/matchconditions/matcher.go): one
 * that is false passes it over, whatever the others are; then an error counts by failurePolicy. An expression that we
 * cannot evaluate leaves it unknown, unless another is false.
 */
function endOf(
  callout: Pick<AdmissionCallout, 'matchConditions' | 'failurePolicy'>,
  request: AdmissionRequest,
  as?: AdmissionRequest,
): Conditions {
  const outcomes = conditionOutcomes(callout, request, as);
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
