import {
  CelError,
  type CelKey,
  type CelValue,
  entryOf,
  hasKey,
  isList,
  isMap,
  isOptional,
  isUint,
  NotEvaluable,
  tagged,
} from './value.ts';

/** The key as a map stores it: a double or uint with an integer value becomes an int. */
function celKey(value: CelValue): CelKey {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean') return value;
  if (isUint(value)) return value.value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new NotEvaluable();
}

const text = (key: CelKey): string => `${key}`;

function find(of: CelValue, at: CelValue): CelValue | undefined {
  if (isMap(of)) return entryOf(of, celKey(at));
  if (isList(of)) {
    const index = celKey(at);
    if (typeof index === 'string') throw new CelError("unsupported index type 'string' in list");
    if (typeof index !== 'bigint') throw new NotEvaluable();
    return index < 0n ? undefined : of[Number(index)];
  }
  const value = tagged(of);
  if (value?.is === 'kubernetes.authorization.Authorizer' && at === 'requestResource')
    return { ...value, is: 'kubernetes.authorization.ResourceCheck', check: value.requestResource ?? {} };
  if (of !== null && typeof of === 'object') throw new NotEvaluable();
  return undefined;
}

/**
 * `of.at` and `of[at]` (cel-go interpreter/attributes.go). For an optional, or with `?`, the result is an
 * optional; otherwise a missing field is an error. A value without fields is treated as an empty map.
 */
export function access(of: CelValue, at: CelValue, optionally: boolean): CelValue {
  if (isOptional(of)) return of.value === undefined ? of : access(of.value, at, true);
  const found = find(of, at);
  if (optionally) return found === undefined ? { is: 'optional' } : { is: 'optional', value: found };
  if (found !== undefined) return found;
  throw new CelError(`${isList(of) ? 'index out of bounds' : 'no such key'}: ${text(celKey(at))}`);
}

/** `has(of.field)`. */
export function present(of: CelValue, field: string): boolean {
  if (isOptional(of)) return of.value !== undefined && present(of.value, field);
  if (isMap(of)) return hasKey(of, field);
  if (isList(of)) throw new CelError("unsupported index type 'string' in list");
  if (of !== null && typeof of === 'object') throw new NotEvaluable();
  return false;
}
