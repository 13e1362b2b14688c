import { NotKnown, type Unread } from './unread.ts';

/**
 * A lookup that cannot be mistaken: `undefined` means that the cluster has no such thing; what was not read throws
 * {@link NotKnown}.
 */
export interface Lookup<V> {
  /** The value, or `undefined` if the cluster has none. Throws {@link NotKnown} if it was not read. */
  get(key: string): V | undefined;
  /**
   * The value; `undefined`: absent, or not known. Only where both mean the same to the caller: where a value adds to
   * what is said and nothing is concluded from its absence.
   */
  getIfKnown(key: string): V | undefined;
  /** True: the cluster has none for sure. */
  isAbsent(key: string): boolean;
  known(key: string): boolean;
  /** Why `key` is not known; `undefined` when it is. */
  why(key: string): Unread | undefined;
  /** Everything that is known, which may not be everything: see {@link incomplete}. */
  all(): IterableIterator<V>;
  entries(): IterableIterator<[string, V]>;
  /** `undefined` when every key is decided; else why one outside `all()` may still exist. */
  readonly incomplete: Unread | undefined;
  readonly gaps: Gaps;
}

/** Why a key without a value is not known; `undefined`: it is known to be absent. Plain data: a snapshot holds it. */
export interface Gaps {
  /** Single keys, decided one by one. */
  readonly keys?: ReadonlyMap<string, Unread | undefined>;
  /** All other keys `namespace/name` of these namespaces. */
  readonly namespaces?: ReadonlyMap<string, Unread | undefined>;
  /** All others. */
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
  const why = (key: string): Unread | undefined => (entries.has(key) ? undefined : gapAt(gaps, key));
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) return value;
      const unread = why(key);
      if (unread !== undefined) throw new NotKnown(unread);
      return undefined;
    },
    getIfKnown: (key) => entries.get(key),
    isAbsent: (key) => entries.get(key) === undefined && why(key) === undefined,
    known: (key) => why(key) === undefined,
    why,
    all: () => entries.values(),
    entries: () => entries.entries(),
    incomplete: gaps.others,
    gaps,
  };
}

/** Builds a lookup of a complete list: other keys do not exist. */
export const complete = <V>(entries: Iterable<readonly [string, V]>): Lookup<V> =>
  lookup(new Map(entries), { others: undefined });

/** A lookup of which nothing was read. */
export const nothingRead = <V>(why: Unread): Lookup<V> => lookup<V>(new Map(), { others: why });

/** Whether a fact is read by keys. */
export const isLookup = (fact: unknown): fact is Lookup<unknown> =>
  typeof fact === 'object' && fact !== null && 'gaps' in fact;
