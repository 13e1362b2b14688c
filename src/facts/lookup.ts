import { NotKnown, type Unread } from './unread.ts';

/**
 * A lookup that cannot be mistaken: `undefined` means that the cluster has no such thing; what was not read throws
 * {@link NotKnown}. Plain data: `entries` are known, `unread` are single keys that failed, `rest` says whether every
 * other key is known to be absent (`undefined`: the list was complete) or not known, and why.
 */
export interface LookupData<V> {
  readonly entries: ReadonlyMap<string, V>;
  /** Keys that were asked for and are not there. Only needed where `rest` is set. */
  readonly absent?: ReadonlySet<string>;
  readonly unread?: ReadonlyMap<string, Unread>;
  readonly rest?: Unread | undefined;
}

export interface Lookup<V> {
  /** The value, or `undefined` when the cluster has none. Throws {@link NotKnown} when nobody could look. */
  get(key: string): V | undefined;
  known(key: string): boolean;
  /** Why `key` is not known; `undefined` when it is. */
  why(key: string): Unread | undefined;
  /** Everything that is known, which may not be everything: see {@link complete}. */
  all(): IterableIterator<V>;
  entries(): IterableIterator<[string, V]>;
  /** `undefined` when every key is decided; else why a key outside `all()` may still exist. */
  readonly incomplete: Unread | undefined;
}

/** Builds a lookup over what was read. */
export function lookup<V>(data: LookupData<V>): Lookup<V> {
  const why = (key: string): Unread | undefined => {
    if (data.entries.has(key) || data.absent?.has(key)) return undefined;
    return data.unread?.get(key) ?? data.rest;
  };
  const firstUnread = data.unread?.values().next().value;
  return {
    get(key) {
      const unread = why(key);
      if (unread !== undefined) throw new NotKnown(unread);
      return data.entries.get(key);
    },
    known: (key) => why(key) === undefined,
    why,
    all: () => data.entries.values(),
    entries: () => data.entries.entries(),
    incomplete: data.rest ?? firstUnread,
  };
}

/** A lookup over a complete list: what is not in it does not exist. */
export const complete = <V>(entries: Iterable<readonly [string, V]>): Lookup<V> =>
  lookup({ entries: new Map(entries) });

/** A lookup of which nothing was read. */
export const nothingRead = <V>(rest: Unread): Lookup<V> => lookup<V>({ entries: new Map(), rest });
