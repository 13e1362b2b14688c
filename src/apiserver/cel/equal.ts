import { compareQuantities } from './quantity.ts';
import {
  allOf,
  type CelTagged,
  type CelValue,
  entryOf,
  hasKey,
  isList,
  isMap,
  isOptional,
  isUint,
  tagged,
} from './value.ts';
import { compareSemvers } from './version-functions.ts';

function integerOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return isUint(value) ? value.value : undefined;
}

/** Compares two numbers of any numeric types; undefined if one is not a number, or is NaN. */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  const [left, right] = [integerOf(a), integerOf(b)];
  if (left === undefined || right === undefined) return undefined;
  if (left < right) return -1;
  if (left > right) return 1;
  return left >= right ? 0 : undefined;
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
  if (isOptional(a) && isOptional(b)) {
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value);
  }
  const [left, right] = [tagged(a), tagged(b)];
  return left !== undefined && right !== undefined && equalOfType(left, right);
}

function equalOfType(a: CelTagged, b: CelTagged): boolean {
  switch (a.is) {
    case 'type':
      return b.is === a.is && a.name === b.name;
    case 'kubernetes.Quantity':
      return b.is === a.is && compareQuantities(a, b) === 0;
    case 'kubernetes.Semver':
      return b.is === a.is && compareSemvers(a, b) === 0;
    case 'google.protobuf.Duration':
    case 'google.protobuf.Timestamp':
      return b.is === a.is && a.nanoseconds === b.nanoseconds;
    case 'net.IP':
      return b.is === a.is && a.address.equals(b.address);
    case 'net.CIDR':
      return b.is === a.is && a.bits === b.bits && a.address.equals(b.address);
    case 'kubernetes.URL':
      return b.is === a.is && a.scheme === b.scheme && a.host === b.host && a.path === b.path;
    default:
      return false;
  }
}
