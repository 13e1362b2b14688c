/**
 * Thrown if the value of an expression is unknown: a missing fact, or a function that is not implemented
 * here. Not an Error, like {@link CelError}: a run throws thousands, and their stack traces are not used.
 */
export class NotEvaluable {
  /** It exceeds a limit of this program for an expression or for a run, or the API server may end it. */
  readonly why: 'too-costly' | 'too-many' | 'may-end' | undefined;
  /** The check that only the API server's authorizer can answer. */
  readonly check: AccessCheck | undefined;
  constructor(why?: NotEvaluable['why'], check?: AccessCheck) {
    this.why = why;
    this.check = check;
  }
}

/** The attributes of a SelfSubjectAccessReview: a path, or a resource. */
export type AccessCheck = Readonly<
  Partial<Record<'path' | 'group' | 'resource' | 'subresource' | 'namespace' | 'name' | 'verb', string>>
>;

/** An evaluation error; the message is cel-go's own text. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** The error for a string that cannot be converted to a type. */
export const noConversion = (to: string): CelError =>
  new CelError(`type conversion error from 'string' to '${to}'`);

/** A value that exists but is unknown. Reading it throws {@link NotEvaluable}. */
export const unknownValue = Symbol('unknownValue');

/** A key of a map; a bigint is an int or a uint, which are the same key. */
export type CelKey = string | bigint | boolean;

/** A CEL map, or an object with fields: CEL reads both in the same way. */
export interface CelMap {
  readonly is: 'map';
  readonly entries: ReadonlyMap<CelKey, CelValue | typeof unknownValue>;
  /** True for other keys that may exist; absent if `entries` is complete. */
  readonly open?: (key: CelKey) => boolean;
}
/** CEL's `optional_type`: a value, or none. */
export interface CelOptional {
  readonly is: 'optional';
  /** Absent: optional.none(). */
  readonly value?: CelValue;
}
/** An unsigned integer of CEL; an int is a plain bigint. */
export interface CelUint {
  readonly is: 'uint';
  readonly value: bigint;
}
interface CelType {
  readonly is: 'type';
  readonly name: string;
}
/** Kubernetes' resource quantity: `numerator / denominator`, and its original notation. */
export interface CelQuantity {
  readonly is: 'kubernetes.Quantity';
  readonly numerator: bigint;
  readonly denominator: bigint;
}
/** Kubernetes' url(): the parts that its functions return. */
export interface CelUrl {
  readonly is: 'kubernetes.URL';
  readonly scheme: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}
/** An address of four or sixteen bytes. */
export interface CelIp {
  readonly is: 'net.IP';
  readonly address: Buffer;
}
/** A network: an address and the length of the prefix. */
export interface CelCidr {
  readonly is: 'net.CIDR';
  readonly address: Buffer;
  readonly bits: number;
}
/** Major, minor and patch, and the pre-release identifiers after the hyphen. */
export interface CelSemver {
  readonly is: 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
}
/** A signed length of time. */
export interface CelDuration {
  readonly is: 'google.protobuf.Duration';
  readonly nanoseconds: bigint;
}
/** Since 1970, in UTC. */
export interface CelTimestamp {
  readonly is: 'google.protobuf.Timestamp';
  /** It was written in UTC: as text, a timestamp keeps its original offset. */
  readonly isUtc?: boolean;
  readonly nanoseconds: bigint;
}
/** `authorizer`, or a check that is being built. */
export interface CelAuthorizer {
  readonly is:
    | 'kubernetes.authorization.Authorizer'
    | 'kubernetes.authorization.PathCheck'
    | 'kubernetes.authorization.GroupCheck'
    | 'kubernetes.authorization.ResourceCheck';
  readonly check: AccessCheck;
  /** The results by the keys of the checks. */
  readonly allowed: Readonly<Record<string, boolean>> | 'everything';
  /** The check of the request's own resource. */
  readonly requestResource?: AccessCheck;
}
/** The decision of the authorizer about a check: the result of `check(verb)`. */
export interface CelDecision {
  readonly is: 'kubernetes.authorization.Decision';
  readonly allowed: boolean;
}

/** int is a bigint, double a number. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly CelValue[]
  | CelMap
  | CelOptional
  | CelUint
  | CelType
  | CelQuantity
  | CelUrl
  | CelIp
  | CelCidr
  | CelSemver
  | CelDuration
  | CelTimestamp
  | CelAuthorizer
  | CelDecision;

/** True for a list; bytes are not a list. */
export const isList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);

/** A value whose type its `is` names. */
export type CelTagged = Extract<CelValue, { readonly is: string }>;

/** The value if it is an object with a type of its own; undefined for scalars, null, lists and bytes. */
export const tagged = (value: CelValue): CelTagged | undefined =>
  typeof value === 'object' && value !== null && 'is' in value ? value : undefined;

/** True for a map, and for an object with fields. */
export const isMap = (value: CelValue): value is CelMap => tagged(value)?.is === 'map';
/** True for an optional, with or without a value. */
export const isOptional = (value: CelValue): value is CelOptional => tagged(value)?.is === 'optional';
/** True for a uint; an int is a plain bigint. */
export const isUint = (value: CelValue): value is CelUint => tagged(value)?.is === 'uint';
/** True for a duration. */
export const isDuration = (value: CelValue): value is CelDuration =>
  tagged(value)?.is === 'google.protobuf.Duration';
/** True for a timestamp. */
export const isTimestamp = (value: CelValue): value is CelTimestamp =>
  tagged(value)?.is === 'google.protobuf.Timestamp';

/** The names that `type()` compares by. */
export function typeName(value: CelValue): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      if (value === null) return 'null_type';
      if (isList(value)) return 'list';
      if (value instanceof Uint8Array) return 'bytes';
      return value.is === 'optional' ? 'optional_type' : value.is;
  }
}

/** A map that has exactly these keys. */
export const celMap = (entries: Iterable<readonly [CelKey, CelValue | typeof unknownValue]>): CelMap => ({
  is: 'map',
  entries: new Map(entries),
});

/** A map that may have other keys than these. */
export const openMap = (
  entries: Iterable<readonly [CelKey, CelValue | typeof unknownValue]>,
  open: (key: CelKey) => boolean = () => true,
): CelMap => ({ is: 'map', entries: new Map(entries), open });

/** The value of a key; undefined if the map does not have it. */
export function entryOf({ entries, open }: CelMap, key: CelKey): CelValue | undefined {
  const found = entries.get(key);
  if (found === unknownValue) throw new NotEvaluable();
  if (found === undefined && open?.(key)) throw new NotEvaluable();
  return found;
}

/** True if a map has the key; does not read its value. */
export function hasKey({ entries, open }: CelMap, key: CelKey): boolean {
  if (entries.has(key)) return true;
  if (open?.(key)) throw new NotEvaluable();
  return false;
}

/** All entries of a map, which must be complete. */
export function allOf({ entries, open }: CelMap): readonly (readonly [CelKey, CelValue])[] {
  if (open !== undefined) throw new NotEvaluable();
  return [...entries].map(([key, value]) => {
    if (value === unknownValue) throw new NotEvaluable();
    return [key, value] as const;
  });
}

/**
 * Converts a JSON value to a CEL value: integers become ints. Throws {@link NotEvaluable} if a number is too
 * large for JavaScript to parse exactly.
 */
export function fromJson(json: unknown): CelValue {
  if (json === null || typeof json === 'string' || typeof json === 'boolean') return json;
  if (typeof json === 'number') {
    if (!Number.isInteger(json)) return json;
    if (!Number.isSafeInteger(json)) throw new NotEvaluable();
    return BigInt(json);
  }
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json === 'object') {
    return celMap(
      Object.entries(json).flatMap(([key, value]) => (value === undefined ? [] : [[key, fromJson(value)]])),
    );
  }
  throw new NotEvaluable();
}

/** As {@link fromJson}; a value that cannot be parsed exactly is unknown. */
export function completeFromJson(json: unknown): CelValue | typeof unknownValue {
  try {
    return fromJson(json);
  } catch (error) {
    if (error instanceof NotEvaluable) return unknownValue;
    throw error;
  }
}

/** As {@link fromJson}, for an object that can have more fields: scalars are certain, no key is absent. */
export function partOfJson(json: unknown): CelValue | typeof unknownValue {
  if (Array.isArray(json)) return unknownValue;
  if (typeof json !== 'object' || json === null) return completeFromJson(json);
  return openMap(
    Object.entries(json).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [[key, partOfJson(value)]],
    ),
  );
}
