import { NotKnown, type Unread } from './unread.ts';

/**
 * A lookup that cannot be mistaken: `undefined` means that the cluster has no such thing; what was not read throws
 * {@link NotKnown}.
 */
export interface Lookup<V> {
  /** The value, or `undefined` when the cluster has none. Throws {@link NotKnown} when nobody could look. */
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
}

/**
 * Builds a lookup over what was read. `missing` says, for a key without an entry, why it is not known; `undefined`:
 * it is known to be absent.
 */
export function lookup<V>(
  entries: ReadonlyMap<string, V>,
  missing: (key: string) => Unread | undefined,
  incomplete: Unread | undefined,
): Lookup<V> {
  const why = (key: string): Unread | undefined => (entries.has(key) ? undefined : missing(key));
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
    known: (key) => entries.has(key) || missing(key) === undefined,
    why,
    all: () => entries.values(),
    entries: () => entries.entries(),
    incomplete,
  };
}

/** A lookup over a complete list: what is not in it does not exist. */
export const complete = <V>(entries: Iterable<readonly [string, V]>): Lookup<V> =>
  lookup(new Map(entries), () => undefined, undefined);

/** A lookup of which nothing was read. */
export const nothingRead = <V>(why: Unread): Lookup<V> => lookup<V>(new Map(), () => why, why);
