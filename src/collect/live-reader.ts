import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from '../facts/objects/metadata.ts';
import { type ClusterReader, type Keep, type ListResult, type Query, ReadError } from './cluster-reader.ts';

/** The fields of an object that a watch needs. */
interface Watched {
  readonly metadata: Metadata & { readonly uid?: string; readonly resourceVersion?: string };
}

/** A line of a watch (apimachinery pkg/apis/meta/v1 WatchEvent). */
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Watched;
}

/** A list that a watch keeps up to date. */
interface KeptList {
  readonly items: Map<string, Watched>;
  resourceVersion: string;
  readonly left: Pick<ListResult<unknown>, 'left'>;
}

/** The reason why a watch ended early: no response, its resourceVersion expired (410), forbidden, or not served. */
export type WatchEnd = 'dropped' | 'expired' | 'refused';

/** Options for waiting for changes. */
export interface LivePace {
  /** Milliseconds to wait after a change, so that its consequences are included. */
  readonly settling: number;
  /** True if a change of an object of this list (path) counts. */
  readonly counts: (path: string, object: Watched) => boolean;
  readonly onWatchEnd?: ((why: WatchEnd) => void) | undefined;
}

/** A reader for repeated runs: it lists once, and then watches for changes. */
export interface LiveReader extends ClusterReader {
  /**
   * Fulfilled when something has changed that counts, when the time (milliseconds) is over, or with the signal. The next
   * reads are then up to date.
   */
  changed(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Seconds after which the API server ends a watch, which is then continued. One that lasts longer lost its connection. */
const watchTime = 240;
const longestWatch = 300;
/** Milliseconds before a watch is continued; one that was shorter counts as failed. */
const beforeResuming = 1000;
const lastingWatch = 10_000;
/** The maximum number of watched lists; others are listed again each time. */
const mostWatches = 250;

const idOf = ({ metadata: { uid, namespace = '', name } }: Watched): string => uid ?? `${namespace}/${name}`;

/** Fields that every update changes. */
const bookkeeping: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);
const contentOf = (object: Watched | undefined): string =>
  JSON.stringify(object, (name, value) => (bookkeeping.has(name) ? undefined : value));

/**
 * Lists once and then watches each list, with bookmarks; an ended watch is continued from its resourceVersion. Single
 * objects and logs are read again after a relevant change, or after the interval. A list that cannot be watched is listed
 * again after the interval. A list that was not used between two changes is dropped.
 */
export function liveReader(
  reader: ClusterReader,
  { counts, settling, onWatchEnd }: LivePace,
  ended: AbortSignal,
): LiveReader {
  const lists = new Map<string, Promise<KeptList>>();
  const watches = new Map<string, AbortController>();
  const usedLists = new Set<string>();
  const reads = new Map<string, Promise<unknown>>();
  const unwatched = new Set<string>();
  let dirty = false;
  let wake = (): void => undefined;
  const note = (): void => {
    dirty = true;
    wake();
  };

  const letGo = (key: string): void => {
    lists.delete(key);
    watches.get(key)?.abort();
    watches.delete(key);
  };

  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const known = (reads.get(key) as Promise<T> | undefined) ?? read();
    reads.set(key, known);
    known.catch(() => reads.delete(key));
    return known;
  };

  function take(kept: KeptList, path: string, { type, object }: WatchEvent, keep: Keep<Watched>): void {
    if (type === 'ERROR')
      throw new ReadError(`the watch of ${path} ended`, { reason: 'server-error', path, status: 410 });
    kept.resourceVersion = object.metadata.resourceVersion ?? kept.resourceVersion;
    if (type === 'BOOKMARK') return;
    const id = idOf(object);
    const before = kept.items.get(id);
    const now = type === 'DELETED' ? undefined : keep(object);
    if (now === undefined) kept.items.delete(id);
    else kept.items.set(id, now);
    if (counts(path, object) && contentOf(before) !== contentOf(now)) note();
  }

  /** Ends when the list is dropped, or must be listed again: changes were lost, or no response. */
  async function follow(
    key: string,
    path: string,
    query: Query,
    kept: KeptList,
    keep: Keep<Watched>,
  ): Promise<void> {
    const own = new AbortController();
    watches.set(key, own);
    const over = AbortSignal.any([ended, own.signal]);
    for (let failed = false; !over.aborted; ) {
      const { resourceVersion } = kept;
      const watching = { ...query, watch: true, allowWatchBookmarks: true, timeoutSeconds: watchTime };
      const began = performance.now();
      try {
        await reader.watch?.(
          path,
          { ...watching, resourceVersion },
          (line) => take(kept, path, JSON.parse(line), keep),
          AbortSignal.any([over, AbortSignal.timeout(longestWatch * 1000)]),
        );
        failed = false;
      } catch (error) {
        if (over.aborted) return;
        const status = error instanceof ReadError ? error.status : undefined;
        const why = status === 410 ? 'expired' : status === 403 || status === 405 ? 'refused' : 'dropped';
        onWatchEnd?.(why);
        if (why === 'refused') {
          watches.delete(key);
          unwatched.add(key);
          return;
        }
        if (why === 'expired' || (failed && performance.now() - began < lastingWatch)) {
          letGo(key);
          note();
          return;
        }
        failed = true;
      }
      await sleep(beforeResuming, undefined, { signal: over }).catch(() => undefined);
    }
  }

  return {
    ...reader,
    get: (path, query, accept) =>
      once(JSON.stringify([path, query, accept]), () => reader.get(path, query, accept)),
    text: (path, query) => once(JSON.stringify([path, query]), () => reader.text(path, query)),
    async list<T>(path: string, query: Query = {}, accept?: string, keep?: Keep<T>) {
      const key = JSON.stringify([path, query]);
      const make = async (): Promise<KeptList> => {
        const { items, resourceVersion, ...left } = await reader.list<T>(path, query, accept, keep);
        const watched = items as readonly unknown[] as readonly Watched[];
        const kept = { items: new Map(watched.map((item) => [idOf(item), item])), resourceVersion, left };
        const keeping = keep as unknown as Keep<Watched> | undefined;
        if (watches.size >= mostWatches) unwatched.add(key);
        if (reader.watch !== undefined && !unwatched.has(key))
          void follow(key, path, query, kept, keeping ?? ((object) => object));
        return kept;
      };
      usedLists.add(key);
      const known = lists.get(key) ?? make();
      lists.set(key, known);
      known.catch(() => lists.delete(key));
      const { items, resourceVersion, left } = await known;
      return { items: [...items.values()] as readonly unknown[] as readonly T[], resourceVersion, ...left };
    },
    async changed(milliseconds, signal) {
      const over = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (dirty || over.aborted) resolve();
        over.addEventListener('abort', () => resolve(), { once: true });
      });
      if (dirty) await sleep(settling, undefined, { signal }).catch(() => undefined);
      reads.clear();
      for (const key of lists.keys()) if (unwatched.has(key) || !usedLists.has(key)) letGo(key);
      usedLists.clear();
      dirty = false;
    },
  };
}
