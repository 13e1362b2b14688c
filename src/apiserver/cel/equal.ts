import {
  allOf,
  type CelValue,
  entryOf,
  hasKey,
  isList,
  isMap,
  isOptional,
  isQuantity,
  isUint,
} from './value.ts';

const whole = (value: CelValue): bigint | number | undefined =>
  typeof value === 'bigint' || typeof value === 'number' ? value : isUint(value) ? value.value : undefined;

/** The order of two numbers of any numeric types; undefined where one is no number, or NaN. */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  const [left, right] = [whole(a), whole(b)];
  if (left === undefined || right === undefined) return undefined;
  return left < right ? -1 : left > right ? 1 : left >= right ? 0 : undefined;
}

/** cel-go's runtime equality: values of different types are not equal, numbers are compared across types. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  if (compareNumbers(a, b) === 0) return true;
  if (isList(a) && isList(b))
    return a.length === b.length && a.every((item, at) => equal(item, b[at] as CelValue));
  if (isMap(a) && isMap(b)) {
    const [left, right] = [allOf(a), allOf(b)];
    if (left.length !== right.length) return false;
    return left.every(([key, value]) => hasKey(b, key) && equal(value, entryOf(b, key) as CelValue));
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  if (isQuantity(a) && isQuantity(b)) return a.numerator * b.denominator === b.numerator * a.denominator;
  if (isOptional(a) && isOptional(b)) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value);
  }
  const [left, right] = [a, b] as readonly CelValue[];
  return isType(left) && isType(right) && left.name === right.name;
}

const isType = (value: CelValue | undefined): value is { readonly is: 'type'; readonly name: string } =>
  typeof value === 'object' && value !== null && 'is' in value && value.is === 'type';
