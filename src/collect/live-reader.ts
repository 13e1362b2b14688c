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

/** A reader for looking again and again: it asks once, and from then on for what has changed. */
export interface LiveReader extends ClusterReader {
  /**
   * Fulfilled when something has changed that counts, when the time (milliseconds) is over, or with the signal. The next
   * reads are then up to date.
   */
  changed(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** Seconds; the API server ends a watch then, and it is taken up where it was. */
const watchTime = 240;
/** Milliseconds until what follows a change has happened, too. */
const settling = 1000;

const idOf = ({ metadata: { uid, namespace = '', name } }: Watched): string => uid ?? `${namespace}/${name}`;

/** Written at each update, whatever changed. */
const bookkeeping: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);
const contentOf = (object: Watched | undefined): string =>
  JSON.stringify(object, (name, value) => (bookkeeping.has(name) ? undefined : value));

/**
 * Lists once and watches each list from there on, with bookmarks; reads of single objects and of logs are made anew when
 * something has changed that counts. What may not be watched is listed anew whenever the time is over.
 *
 * @param counts whether a change of an object of this list (path) matters.
 */
export function liveReader(
  reader: ClusterReader,
  counts: (path: string, object: Watched) => boolean,
  ended: AbortSignal,
): LiveReader {
  const lists = new Map<string, Promise<KeptList>>();
  const reads = new Map<string, Promise<unknown>>();
  const unwatched = new Set<string>();
  let dirty = false;
  let wake = (): void => undefined;
  const note = (): void => {
    dirty = true;
    wake();
  };

  const once = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const known = (reads.get(key) as Promise<T> | undefined) ?? read();
    reads.set(key, known);
    known.catch(() => reads.delete(key));
    return known;
  };

  function take(kept: KeptList, path: string, { type, object }: WatchEvent, keep: Keep<Watched>): void {
    if (type === 'ERROR') throw new ReadError(`the watch of ${path} ended`, { reason: 'server-error', path });
    kept.resourceVersion = object.metadata.resourceVersion ?? kept.resourceVersion;
    if (type === 'BOOKMARK') return;
    const id = idOf(object);
    const before = kept.items.get(id);
    const now = type === 'DELETED' ? undefined : keep(object);
    if (now === undefined) kept.items.delete(id);
    else kept.items.set(id, now);
    if (counts(path, object) && contentOf(before) !== contentOf(now)) note();
  }

  /** Until the run ends, or the list has to be made anew. */
  async function follow(
    key: string,
    path: string,
    query: Query,
    kept: KeptList,
    keep: Keep<Watched>,
  ): Promise<void> {
    try {
      while (!ended.aborted) {
        const { resourceVersion } = kept;
        const watching = { ...query, watch: true, allowWatchBookmarks: true, timeoutSeconds: watchTime };
        await reader.watch?.(
          path,
          { ...watching, resourceVersion },
          (line) => take(kept, path, JSON.parse(line), keep),
          ended,
        );
        await sleep(settling, undefined, { signal: ended });
      }
    } catch (error) {
      if (ended.aborted) return;
      // Not allowed, not served: it is asked for no more.
      if (error instanceof ReadError && [401, 403, 405].includes(error.status ?? 0)) unwatched.add(key);
      else {
        lists.delete(key);
        note();
      }
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
        if (reader.watch !== undefined && !unwatched.has(key))
          void follow(key, path, query, kept, keeping ?? ((object) => object));
        return kept;
      };
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
      if (dirty) {
        await sleep(settling, undefined, { signal }).catch(() => undefined);
        reads.clear();
      }
      for (const key of unwatched) lists.delete(key);
      dirty = false;
    },
  };
}
