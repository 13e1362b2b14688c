import { NotKnown, type Unread } from './unread.ts';

/**
 * A lookup that distinguishes absent from unknown: `undefined` means that the cluster has no such object; a
 * key that was not read throws {@link NotKnown}.
 */
export interface Lookup<V> {
  /** The value, or `undefined` if the cluster has none. Throws {@link NotKnown} if it was not read. */
  get(key: string): V | undefined;
  /**
   * The value; `undefined` if it is absent or unknown. Only for callers that treat both alike: the value adds
   * information, and nothing is concluded from its absence.
   */
  getIfKnown(key: string): V | undefined;
  /** True if the cluster certainly has none. */
  isAbsent(key: string): boolean;
  known(key: string): boolean;
  /** Why `key` is unknown; `undefined` if it is known. */
  why(key: string): Unread | undefined;
  /** All known values, possibly not all that exist: see {@link incomplete}. */
  all(): readonly V[];
  entries(): IterableIterator<[string, V]>;
  readonly size: number;
  /** `undefined` if every key is known; else why a key outside `all()` may exist. */
  readonly incomplete: Unread | undefined;
  readonly gaps: Gaps;
}

/** Why keys without a value are unknown; `undefined` for absent ones. Plain data for snapshots. */
export interface Gaps {
  /** Single keys. */
  readonly keys?: ReadonlyMap<string, Unread | undefined>;
  /** All other keys `namespace/name` of these namespaces. */
  readonly namespaces?: ReadonlyMap<string, Unread | undefined>;
  /** All other keys. */
  readonly others: Unread | undefined;
}

/** The namespace of a `namespace/name` key. */
const namespaceOf = (key: string): string => key.split('/', 1)[0] ?? key;

function gapAt({ keys, namespaces, others }: Gaps, key: string): Unread | undefined {
  if (keys?.has(key)) return keys.get(key);
  if (namespaces?.has(namespaceOf(key))) return namespaces.get(namespaceOf(key));
  return others;
}

/** Builds a lookup of the values that were read. */
export function lookup<V>(entries: ReadonlyMap<string, V>, gaps: Gaps): Lookup<V> {
  // Hashing a key takes longer than anything else here, and many facts are empty.
  const valueAt: (key: string) => V | undefined =
    entries.size === 0 ? () => undefined : (key) => entries.get(key);
  let values: readonly V[] | undefined;
  const why = (key: string): Unread | undefined =>
    entries.size > 0 && entries.has(key) ? undefined : gapAt(gaps, key);
  return {
    get(key) {
      const value = valueAt(key);
      if (value !== undefined) return value;
      const unread = why(key);
      if (unread !== undefined) throw new NotKnown(unread);
      return undefined;
    },
    getIfKnown: valueAt,
    isAbsent: (key) => valueAt(key) === undefined && why(key) === undefined,
    known: (key) => why(key) === undefined,
    why,
    all: () => {
      values ??= [...entries.values()];
      return values;
    },
    entries: () => entries.entries(),
    size: entries.size,
    incomplete: gaps.others,
    gaps,
  };
}

/** Builds a lookup of a complete list: other keys do not exist. */
export const complete = <V>(entries: Iterable<readonly [string, V]>): Lookup<V> =>
  lookup(new Map(entries), { others: undefined });

/** A lookup whose keys are all unknown. */
export const nothingRead = <V>(why: Unread): Lookup<V> => lookup<V>(new Map(), { others: why });

/** True for a fact that is read by key; false for a single value or a list. */
export const isLookup = (fact: unknown): fact is Lookup<unknown> =>
  typeof fact === 'object' && fact !== null && 'gaps' in fact;
