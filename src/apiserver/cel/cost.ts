import { limits } from '../../basics/limits.ts';
import { behaves } from '../server-version.ts';
import { allOf, type CelValue, isList, isMap, isOptional, NotEvaluable, tagged } from './value.ts';

/** Cost limits of one expression, and of all matchConditions for one request (apiserver apis/cel). */
export const costLimits = { expression: 1_000_000, conditions: 2_500_000 } as const;

/** cel-go ends an expression that costs more than {@link costLimits}, whatever the rest of it is. */
export class CostExceeded {}

/** The charged cost: between the two values if it depends on types that only the API server has. */
export interface Cost {
  readonly least: number;
  readonly most: number;
}

let left = 0;
/** Infinite before the first run. */
let stepsLeft = Number.POSITIVE_INFINITY;
let least = 0;
let most = 0;
let release: string | undefined;

/** Steps between two checks of the time. */
const stepsPerCheck = 1_000_000;
let nextCheck = Number.NEGATIVE_INFINITY;
let isOver = (): boolean => false;

/** Starts a run with all its steps. Once `over` returns true, {@link spend} throws. */
export function renewRun(over: () => boolean = () => false): void {
  stepsLeft = limits.runSteps;
  nextCheck = stepsLeft - stepsPerCheck;
  isOver = over;
}

/** Starts one expression for an API server of this version: all its steps, and no charged cost. */
export function renewBudget(version?: string): void {
  release = version;
  left = limits.expressionSteps;
  least = 0;
  most = 0;
}

/** The version of the API server whose evaluation is predicted. */
export const evaluatingVersion = (): string | undefined => release;

/** The cost charged since {@link renewBudget}, in units of the API server's cost limit. */
export const chargedSoFar = (): Cost => ({ least, most });

/**
 * Spends steps of the limits of this program. Throws {@link NotEvaluable} if the current evaluation, or all
 * evaluations of the run together, exceed theirs.
 */
export function spend(steps: number): void {
  left -= steps;
  stepsLeft -= steps;
  if (stepsLeft < nextCheck) {
    nextCheck = stepsLeft - stepsPerCheck;
    if (isOver()) stepsLeft = 0;
  }
  if (stepsLeft < 0) throw new NotEvaluable('too-many');
  if (left < 0) throw new NotEvaluable('too-costly');
}

/** Counts the cost as the API server does (cel-go runtimecost.go). Throws {@link CostExceeded}. */
export function charge(from: number, to = from): void {
  least += from;
  most += to;
  if (least > costLimits.expression) throw new CostExceeded();
}

/** Maximum characters or items of a result that this evaluator computes. */
const longest = 1_000_000;

/** Throws {@link NotEvaluable} if a result would be longer than the maximum. */
export function mayGrowTo(length: number): void {
  if (length > longest) throw new NotEvaluable('too-costly');
  spend(length / 4);
}

/** A string's size is its number of code points (runes in Go). */
function sizeOf(value: CelValue | undefined): number {
  if (value === undefined) return 1;
  if (typeof value === 'string') {
    let size = 0;
    for (const _ of value) size += 1;
    return size;
  }
  if (isList(value) || value instanceof Uint8Array) return value.length;
  if (isMap(value)) return value.entries.size;
  const of = tagged(value);
  if (of?.is === 'net.IP') return of.address.length;
  if (of?.is === 'net.CIDR') return Math.ceil(of.bits / 8);
  return isOptional(value) && value.value !== undefined ? sizeOf(value.value) : 1;
}

/** In floating point, as Go computes it. */
const traversed = (size: number, factor = 0.1): number => Math.ceil(size * factor);
const regular = (text: number, pattern: number): number => traversed(1 + text) * traversed(pattern, 0.25);

function everything(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * 0.1);
  if (isList(value)) return value.reduce<number>((all, item) => all + everything(item), 0);
  return isMap(value)
    ? allOf(value).reduce((all, [key, item]) => all + everything(key) + everything(item), 0)
    : 1;
}

type Price = (a: CelValue, b: CelValue | undefined) => number | readonly [least: number, most: number];
const one = (a: CelValue): number => traversed(sizeOf(a));
const two = (a: CelValue): number => traversed(sizeOf(a) * 2);
const matching: Price = (a, b) => regular(sizeOf(a), sizeOf(b));
const ofSets =
  (factor: number): Price =>
  (a, b) =>
    1 + sizeOf(a) * sizeOf(b) * factor;
/** The copies and comparisons of cel-go's list functions: an upper bound, because releases differ. */
const ofList: Price = (a) => [1, 100 + 20 * sizeOf(a) ** 2];
/** Until cel-go 0.26 the size of the text counts; later that of the prefix or suffix. */
const atOneEnd: Price = (a, b) => inOrder(one(a), one(b as CelValue));
const inOrder = (a: number, b: number) => [Math.min(a, b), Math.max(a, b)] as const;

const each = (price: Price, functions: string): Readonly<Record<string, Price>> =>
  Object.fromEntries(functions.split(' ').map((name) => [name, price]));

/** Costs of calls that cost more than 1: cel-go's own, and apiserver cel/library/cost.go. */
const prices: Readonly<Record<string, Price>> = {
  ...each(
    one,
    'url lowerAscii upperAscii substring trim quantity isQuantity isIP cidr isCIDR semver isSemver format',
  ),
  ...each(two, 'ip.isCanonical replace split'),
  ...each(everything, 'isSorted sum min max indexOf lastIndexOf'),
  ...each(ofList, 'distinct reverse sort slice flatten'),
  startsWith: atOneEnd,
  endsWith: atOneEnd,
  contains: (a, b) => one(a) * one(b as CelValue),
  matches: matching,
  find: matching,
  findAll: matching,
  ip: (a) => (typeof a === 'string' ? one(a) : 1),
  // A string that is not an address has no cost of its own.
  containsIP: (a, b) => [two(a), two(a) + (typeof b === 'string' ? one(b) : 0)],
  containsCIDR: (a, b) => two(a) + traversed(sizeOf(a)) + 1 + (typeof b === 'string' ? one(b) : 0),
  join: () => 0,
  check: () => 350_000,
  'lists.range': (a) => [1, 100 + 20 * Math.max(0, Number(a))],
  'sets.contains': ofSets(1),
  'sets.intersects': ofSets(1),
  'sets.equivalent': ofSets(2),
};

/** Functions whose costs are cel-go's own; the API server adds the others. */
const ownPrices = new Set(
  'startsWith endsWith contains matches format sets.contains sets.intersects sets.equivalent'.split(' '),
);

/** Charges the call of a function before it is evaluated. */
export function chargeCall(name: string, args: readonly CelValue[]): void {
  const [a, b] = args;
  const isFree = !ownPrices.has(name) && !behaves(release, 'library-costs');
  const price = a === undefined || isFree ? 1 : (prices[name]?.(a, b) ?? 1);
  if (typeof price === 'number') charge(price);
  else charge(...price);
}

/** The cost of `join` depends on the size of its result. */
export const chargeJoined = (made: CelValue): void =>
  charge(behaves(release, 'library-costs') ? two(made) : 0);

/** Charges a binary operator before it is evaluated; undefined for an operand that is an error. */
export function chargeOperator(operator: string, a: CelValue | undefined, b: CelValue | undefined): void {
  const [left, right] = [sizeOf(a), sizeOf(b)];
  const shorter = Math.min(left, right);
  const texts = typeof a === 'string' && typeof b === 'string';
  if (operator === '==' || operator === '!=') {
    spend(shorter);
    charge(traversed(shorter));
  } else if (operator === 'in' && b !== undefined && isList(b)) {
    spend(right);
    charge(...inOrder(1, right));
  } else if (texts && '<=>='.includes(operator)) charge(...inOrder(1, traversed(shorter)));
  else charge(1, texts && operator === '+' ? Math.max(1, traversed(left + right)) : 1);
}
