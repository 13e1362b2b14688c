/**
 * Something in an expression cannot be foreseen: a fact that is missing, or a function that we do not evaluate. Not an
 * Error, as {@link CelError} is none: a run throws thousands, and nobody reads their stacks.
 */
export class CannotTell {
  /** Following it takes more than this program spends on one expression, or on all of a run; or the API server may end it. */
  readonly why: 'too-costly' | 'too-many' | 'may-end' | undefined;
  /** Only the API server's authorizer knows this. */
  readonly check: AccessCheck | undefined;
  constructor(why?: CannotTell['why'], check?: AccessCheck) {
    this.why = why;
    this.check = check;
  }
}

/** What a SelfSubjectAccessReview asks: a path, or a resource. */
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

/** The error of a text that is no value of a type. */
export const noConversion = (to: string): CelError =>
  new CelError(`type conversion error from 'string' to '${to}'`);

/** A value that is there, but that nobody can foresee. Reading it ends in {@link CannotTell}. */
export const unforeseen = Symbol('unforeseen');

export type CelKey = string | bigint | boolean;

export interface CelMap {
  readonly is: 'map';
  /** What is known. */
  readonly entries: ReadonlyMap<CelKey, CelValue | typeof unforeseen>;
  /** Which other keys may be there as well; absent when `entries` is all there is. */
  readonly open?: (key: CelKey) => boolean;
}
export interface CelOptional {
  readonly is: 'optional';
  /** Absent: optional.none(). */
  readonly value?: CelValue;
}
export interface CelUint {
  readonly is: 'uint';
  readonly value: bigint;
}
export interface CelType {
  readonly is: 'type';
  readonly name: string;
}
/** Kubernetes' resource quantity: `numerator / denominator`, and how it was written. */
export interface CelQuantity {
  readonly is: 'kubernetes.Quantity';
  readonly numerator: bigint;
  readonly denominator: bigint;
}
/** Kubernetes' url(): the parts that its functions tell. */
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
/** A network: an address, and how many of its first bits count. */
export interface CelCidr {
  readonly is: 'net.CIDR';
  readonly address: Buffer;
  readonly bits: number;
}
/** Major, minor and patch, and the parts of what stands behind a hyphen. */
export interface CelSemver {
  readonly is: 'kubernetes.Semver';
  readonly numbers: readonly bigint[];
  readonly before: readonly string[];
}
export interface CelDuration {
  readonly is: 'google.protobuf.Duration';
  readonly nanoseconds: bigint;
}
/** Since 1970, by UTC. */
export interface CelTimestamp {
  readonly is: 'google.protobuf.Timestamp';
  /** It was written in UTC: as text it keeps the offset that it was written with. */
  readonly isUtc?: boolean;
  readonly nanoseconds: bigint;
}
/** `authorizer`, or a check of it that is being built; `allowed` by the keys of checks. */
export interface CelAuthorizer {
  readonly is:
    | 'kubernetes.authorization.Authorizer'
    | 'kubernetes.authorization.PathCheck'
    | 'kubernetes.authorization.GroupCheck'
    | 'kubernetes.authorization.ResourceCheck';
  readonly check: AccessCheck;
  readonly allowed: Readonly<Record<string, boolean>>;
  /** The check of the request's own resource. */
  readonly requestResource?: AccessCheck;
}
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

export const isList = (value: CelValue): value is readonly CelValue[] => Array.isArray(value);

/** A value whose type its `is` names. */
export type CelTagged = Extract<CelValue, { readonly is: string }>;

export const tagged = (value: CelValue): CelTagged | undefined =>
  typeof value === 'object' && value !== null && 'is' in value ? value : undefined;

export const isMap = (value: CelValue): value is CelMap => tagged(value)?.is === 'map';
export const isOptional = (value: CelValue): value is CelOptional => tagged(value)?.is === 'optional';
export const isUint = (value: CelValue): value is CelUint => tagged(value)?.is === 'uint';
export const isDuration = (value: CelValue): value is CelDuration =>
  tagged(value)?.is === 'google.protobuf.Duration';
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

export const celMap = (entries: Iterable<readonly [CelKey, CelValue | typeof unforeseen]>): CelMap => ({
  is: 'map',
  entries: new Map(entries),
});

/** A map of which nobody knows whether it has other keys than these. */
export const openMap = (
  entries: Iterable<readonly [CelKey, CelValue | typeof unforeseen]>,
  open: (key: CelKey) => boolean = () => true,
): CelMap => ({ is: 'map', entries: new Map(entries), open });

/** The entry of a key, undefined where there is none. */
export function entryOf({ entries, open }: CelMap, key: CelKey): CelValue | undefined {
  const found = entries.get(key);
  if (found === unforeseen) throw new CannotTell();
  if (found === undefined && open?.(key)) throw new CannotTell();
  return found;
}

/** Whether a map has a key, without reading its value. */
export function hasKey({ entries, open }: CelMap, key: CelKey): boolean {
  if (entries.has(key)) return true;
  if (open?.(key)) throw new CannotTell();
  return false;
}

/** Everything in a map, which must be known as a whole. */
export function allOf({ entries, open }: CelMap): readonly (readonly [CelKey, CelValue])[] {
  if (open !== undefined) throw new CannotTell();
  return [...entries].map(([key, value]) => {
    if (value === unforeseen) throw new CannotTell();
    return [key, value] as const;
  });
}

/**
 * A JSON value as the API server shows it to an expression: whole numbers are ints. Throws {@link CannotTell} where one
 * is too large for JavaScript to have read it right.
 */
export function fromJson(json: unknown): CelValue {
  if (json === null || typeof json === 'string' || typeof json === 'boolean') return json;
  if (typeof json === 'number') {
    if (!Number.isInteger(json)) return json;
    if (!Number.isSafeInteger(json)) throw new CannotTell();
    return BigInt(json);
  }
  if (Array.isArray(json)) return json.map(fromJson);
  if (typeof json === 'object') {
    return celMap(
      Object.entries(json).flatMap(([key, value]) => (value === undefined ? [] : [[key, fromJson(value)]])),
    );
  }
  throw new CannotTell();
}

/** As {@link fromJson}; what cannot be read right is not foreseen. */
export function completeFromJson(json: unknown): CelValue | typeof unforeseen {
  try {
    return fromJson(json);
  } catch (error) {
    if (error instanceof CannotTell) return unforeseen;
    throw error;
  }
}

/** As {@link fromJson}, of an object to which others may add: only single values are sure, and no key is absent. */
export function partOfJson(json: unknown): CelValue | typeof unforeseen {
  if (Array.isArray(json)) return unforeseen;
  if (typeof json !== 'object' || json === null) return completeFromJson(json);
  return openMap(
    Object.entries(json).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [[key, partOfJson(value)]],
    ),
  );
}
