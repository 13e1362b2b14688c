import { compareValues } from '../../basics/collections.ts';
import { mayGrowTo } from './cost.ts';
import { compareNumbers, equal } from './equal.ts';
import { durationOf, timestampOf } from './time-functions.ts';
import {
  type CelDuration,
  CelError,
  type CelTimestamp,
  type CelValue,
  hasKey,
  isDuration,
  isList,
  isMap,
  isTimestamp,
  isUint,
  NotEvaluable,
  typeName,
} from './value.ts';

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

/** cel-go's error for operands of types that an operator does not support (common/types/err.go). */
export const noSuchOverload = (): CelError => new CelError('no such overload');

/** The cel-go types that implement an operator; strings implement all, but return an error for most. */
const operands: Readonly<Record<string, readonly string[]>> = {
  '+': ['int', 'double', 'uint', 'list', 'bytes', 'string'],
  '-': ['int', 'double', 'uint', 'string'],
  '*': ['int', 'double', 'uint', 'string'],
  '/': ['int', 'double', 'uint', 'string'],
  '%': ['int', 'uint', 'string'],
};
const comparable = ['bool', 'bytes', 'int', 'double', 'uint', 'string'];

/**
 * cel-go names the operator if the left operand does not implement it. If the right operand has a wrong type,
 * the error has no details.
 */
const refused = (operator: string, left: CelValue): CelError =>
  (operands[operator] ?? comparable).includes(typeName(left))
    ? noSuchOverload()
    : new CelError(`no such overload: _${operator}_`);

function inRange(value: bigint): bigint {
  if (value < smallest || value > largest) throw new CelError('integer overflow');
  return value;
}

function divide(operator: '/' | '%', a: bigint, b: bigint): bigint {
  if (b === 0n) throw new CelError(operator === '/' ? 'division by zero' : 'modulus by zero');
  return inRange(operator === '/' ? a / b : a % b);
}

function integers(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return inRange(a + b);
    case '-':
      return inRange(a - b);
    case '*':
      return inRange(a * b);
    default:
      return divide(operator as '/' | '%', a, b);
  }
}

function doubles(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      throw refused(operator, a);
  }
}

const isTime = (value: CelValue): value is CelDuration | CelTimestamp =>
  isDuration(value) || isTimestamp(value);

/** Adds or subtracts timestamps and durations; undefined if the operands are others. */
function timeArithmetic(operator: '+' | '-', a: CelValue, b: CelValue): CelValue | undefined {
  if (!isTime(a) || !isTime(b)) return undefined;
  const result = operator === '+' ? a.nanoseconds + b.nanoseconds : a.nanoseconds - b.nanoseconds;
  if (isDuration(a) && isDuration(b)) return durationOf(result);
  if (isTimestamp(a) && isTimestamp(b)) return operator === '-' ? durationOf(result) : undefined;
  return isTimestamp(a) || operator === '+' ? timestampOf(result) : undefined;
}

function arithmetic(operator: string, a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return integers(operator, a, b);
  if (typeof a === 'number' && typeof b === 'number') return doubles(operator, a, b);
  if (operator === '+' && typeof a === 'string' && typeof b === 'string') {
    mayGrowTo(a.length + b.length);
    return a + b;
  }
  if (operator === '+' && isList(a) && isList(b)) {
    mayGrowTo(a.length + b.length);
    return [...a, ...b];
  }
  const time = operator === '+' || operator === '-' ? timeArithmetic(operator, a, b) : undefined;
  if (time !== undefined) return time;
  if (isUint(a) || isUint(b) || a instanceof Uint8Array || isTime(a) || isTime(b)) throw new NotEvaluable();
  throw refused(operator, a);
}

/** Compares strings by code points, which is the order of Go's bytes. */
export function compareText(a: string, b: string): number {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return Buffer.compare(left, right);
}

function orderOf(a: CelValue, b: CelValue): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if ((isDuration(a) && isDuration(b)) || (isTimestamp(a) && isTimestamp(b)))
    return compareValues(a.nanoseconds, b.nanoseconds);
  return compareNumbers(a, b);
}

function ordered(operator: string, a: CelValue, b: CelValue): boolean {
  const order = orderOf(a, b);
  if (order === undefined) {
    if (typeof a === 'number' || typeof b === 'number' || isTime(a) || isTime(b)) throw new NotEvaluable();
    throw refused(operator, a);
  }
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}

function contains(value: CelValue, container: CelValue): boolean {
  if (isList(container)) return container.some((item) => equal(item, value));
  if (typeof container === 'string') throw noSuchOverload();
  if (!isMap(container)) throw new NotEvaluable();
  if (typeof value === 'string') return hasKey(container, value);
  if (typeof value !== 'bigint' && typeof value !== 'boolean') throw new NotEvaluable();
  return [...container.entries.keys()].some((key) => typeof key === typeof value) && hasKey(container, value);
}

/** All binary operators except `&&` and `||`, which handle errors themselves. Throws cel-go's errors. */
export function binary(operator: string, a: CelValue, b: CelValue): CelValue {
  switch (operator) {
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    case 'in':
      return contains(a, b);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, a, b);
    default:
      return arithmetic(operator, a, b);
  }
}

/** `!` and unary `-`. Throws CelError, and NotEvaluable if the result is unknown. */
export function unary(operator: string, value: CelValue): CelValue {
  if (operator === '!_' && typeof value === 'boolean') return !value;
  if (operator === '-_' && typeof value === 'bigint') return inRange(-value);
  if (operator === '-_' && typeof value === 'number') return -value;
  if (typeof value === 'string') throw noSuchOverload();
  throw new NotEvaluable();
}
