import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from '../facts/objects/metadata.ts';
import { type ClusterReader, type Keep, type ListResult, type Query, ReadError } from './cluster-reader.ts';

/** Any object of a list, as far as watching needs it. */
interface Watched {
  readonly metadata: Metadata & { readonly uid?: string; readonly resourceVersion?: string };
}

/** A line of a watch (apimachinery pkg/apis/meta/v1 WatchEvent). */
interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Watched;
}

/** A list that is kept as the cluster has it. */
interface KeptList {
  readonly items: Map<string, Watched>;
  resourceVersion: string;
  readonly left: Pick<ListResult<unknown>, 'left'>;
}

/** Why a watch ended before its time: no answer, its resourceVersion is gone (410), or it is not allowed or not served. */
export type WatchEnd = 'dropped' | 'expired' | 'refused';

/** How changes are waited for. */
export interface LivePace {
  /** Milliseconds until what follows a change has happened, too. */
  readonly settling: number;
  /** Whether a change of an object of this list (path) matters. */
  readonly counts: (path: string, object: Watched) => boolean;
  readonly onWatchEnd?: ((why: WatchEnd) => void) | undefined;
}

/** A reader for looking again and again: it asks once, and from then on for what has changed. */
export interface LiveReader extends ClusterReader {
  /**
   * Fulfilled when something has changed that counts, when the time (milliseconds) is over, or with the signal. The next
   * reads are then up to date.
   */
  changed(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Seconds; the API server ends a watch then, and it is taken up where it was. One that lasts longer has lost its server. */
const watchTime = 240;
const longestWatch = 300;
/** Milliseconds before a watch that ended is taken up again; one that lasted less has come to nothing. */
const beforeResuming = 1000;
const lastingWatch = 10_000;
/** Lists that are watched; what is more is listed anew each time. */
const mostWatches = 250;

const idOf = ({ metadata: { uid, namespace = '', name } }: Watched): string => uid ?? `${namespace}/${name}`;

/** Written at each update, whatever changed. */
const bookkeeping: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);
const contentOf = (object: Watched | undefined): string =>
  JSON.stringify(object, (name, value) => (bookkeeping.has(name) ? undefined : value));

/**
 * Lists once and watches each list from there on, with bookmarks; a watch that was dropped is taken up where it was. Reads
 * of single objects and of logs are made anew when something has changed that counts, or the time is over. What may not
 * be watched is listed anew whenever the time is over. A list that nobody asked for between two changes is let go.
 */
export function liveReader(
  reader: ClusterReader,
  { counts, settling, onWatchEnd }: LivePace,
  ended: AbortSignal,
): LiveReader {
  const lists = new Map<string, Promise<KeptList>>();
  const watches = new Map<string, AbortController>();
  const asked = new Set<string>();
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

  /** Until the list is let go, or has to be made anew: its changes are lost, or nobody answers. */
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
      asked.add(key);
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
      for (const key of lists.keys()) if (unwatched.has(key) || !asked.has(key)) letGo(key);
      asked.clear();
      dirty = false;
    },
  };
}
