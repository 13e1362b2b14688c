import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterReader, ListResult, Query, Trim } from './cluster.ts';
import { type FollowedSecrets, followedSecrets, isSecretPath } from './followed-secrets.ts';
import { resumedWatch, type WatchEnd, type WatchEvent, type Watched } from './resumed-watch.ts';

interface KeptList {
  readonly items: Map<string, Watched>;
  resourceVersion: string;
  readonly left: Pick<ListResult<unknown>, 'left'>;
}

/** Options for waiting for changes. */
export interface LivePace {
  /** Milliseconds to wait after a change, so that its consequences are included. */
  readonly settling: number;
  /** True if a change of an object of this list (path) counts. */
  readonly counts: (path: string, object: Watched) => boolean;
  readonly onWatchEnd?: ((why: WatchEnd) => void) | undefined;
  /** Called if a Secret that was read has changed. Absent: Secrets are not watched. */
  readonly onSecretChange?: (() => void) | undefined;
}

/** A reader for repeated runs: it lists once, and then watches for changes. */
export interface LiveReader extends ClusterReader {
  /**
   * Waits for a relevant change, the end of the interval (milliseconds), or the signal. Reads after it are up
   * to date.
   */
  changed(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The maximum number of watched lists; others are listed again each time. */
const mostWatches = 250;

const idOf = ({ metadata: { uid, namespace = '', name } }: Watched): string => uid ?? `${namespace}/${name}`;

/** Fields that every update changes. */
const serverFields: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'generation']);
const contentOf = (object: Watched | undefined): string =>
  JSON.stringify(object, (name, value) => (serverFields.has(name) ? undefined : value));

/** The lists and reads of all runs so far, and the watches that update them. */
interface Live {
  readonly reader: ClusterReader;
  readonly pace: LivePace;
  readonly ended: AbortSignal;
  readonly lists: Map<string, Promise<KeptList>>;
  readonly watches: Map<string, AbortController>;
  /** Keys of lists that were used since the last change. */
  readonly used: Set<string>;
  /** Single objects and logs. */
  readonly reads: Map<string, Promise<unknown>>;
  readonly secrets: FollowedSecrets;
  /** Keys of lists that cannot be watched. */
  readonly unwatched: Set<string>;
  /** True after a relevant change. */
  dirty: boolean;
  wake: () => void;
}

/** A list to read: its key, path and query, and the function that reduces its objects. */
interface ListRead {
  readonly key: string;
  readonly path: string;
  readonly query: Query;
  readonly keep: Trim<Watched>;
}

/**
 * Lists once and then watches each list, with bookmarks; a watch that ends is continued from its
 * resourceVersion. Single objects and logs are read again after a relevant change, or after the interval. A
 * list that cannot be watched is listed again after the interval. A list that was not used between two
 * changes is dropped.
 */
export function liveReader(reader: ClusterReader, pace: LivePace, ended: AbortSignal): LiveReader {
  const { onSecretChange, onWatchEnd } = pace;
  const secretPace = {
    onWatchEnd,
    onChange: () => {
      onSecretChange?.();
      noteChange(live);
    },
  };
  const { watch: _, ...withoutWatch } = reader;
  const secretReader = onSecretChange === undefined ? withoutWatch : reader;
  const live: Live = {
    reader,
    pace,
    ended,
    lists: new Map(),
    watches: new Map(),
    used: new Set(),
    reads: new Map(),
    secrets: followedSecrets(secretReader, secretPace, ended),
    unwatched: new Set(),
    dirty: false,
    wake: () => undefined,
  };
  return {
    ...reader,
    get: <T>(path: string, query?: Query, accept?: string) =>
      isSecretPath(path) && query === undefined && accept === undefined
        ? (live.secrets.get(path) as Promise<T | undefined>)
        : once(live, JSON.stringify([path, query, accept]), () => reader.get<T>(path, query, accept)),
    text: (path, query) => once(live, JSON.stringify([path, query]), () => reader.text(path, query)),
    async list<T>(path: string, query: Query = {}, accept?: string, keep?: Trim<T>) {
      const key = JSON.stringify([path, query]);
      // A watch would send all objects, not only those of the first page.
      if (query.limit !== undefined) return once(live, key, () => reader.list<T>(path, query, accept, keep));
      live.used.add(key);
      const known = live.lists.get(key) ?? listAndFollow<T>(live, { key, path, query }, accept, keep);
      live.lists.set(key, known);
      known.catch(() => live.lists.delete(key));
      const { items, resourceVersion, left } = await known;
      return { items: [...items.values()] as readonly unknown[] as readonly T[], resourceVersion, ...left };
    },
    changed: (milliseconds, signal) => changed(live, milliseconds, signal),
  };
}

/** Runs a read once until the next change. */
function once<T>({ reads }: Live, key: string, read: () => Promise<T>): Promise<T> {
  const known = (reads.get(key) as Promise<T> | undefined) ?? read();
  reads.set(key, known);
  known.catch(() => reads.delete(key));
  return known;
}

async function listAndFollow<T>(
  live: Live,
  { key, path, query }: Pick<ListRead, 'key' | 'path' | 'query'>,
  accept: string | undefined,
  keep: Trim<T> | undefined,
): Promise<KeptList> {
  const { reader, watches, unwatched } = live;
  const { items, resourceVersion, ...left } = await reader.list<T>(path, query, accept, keep);
  const watched = items as readonly unknown[] as readonly Watched[];
  const list = { items: new Map(watched.map((item) => [idOf(item), item])), resourceVersion, left };
  if (watches.size >= mostWatches) unwatched.add(key);
  if (reader.watch !== undefined && !unwatched.has(key)) {
    const keepWatched = (keep as unknown as Trim<Watched> | undefined) ?? ((object) => object);
    void follow(live, { key, path, query, keep: keepWatched }, list);
  }
  return list;
}

/** Watches a list. Returns when it is dropped, or must be listed again: changes or connection were lost. */
async function follow(live: Live, read: ListRead, list: KeptList): Promise<void> {
  const { key, path, query } = read;
  const own = new AbortController();
  live.watches.set(key, own);
  const over = AbortSignal.any([live.ended, own.signal]);
  await resumedWatch(
    live.reader,
    {
      request: () => ({ path, query: { ...query, resourceVersion: list.resourceVersion } }),
      each: (event) => applyEvent(live, read, list, event),
      mayResume: (why, failedAgain) => mayResume(live, key, why, failedAgain),
    },
    over,
  );
}

/** Reports the end of a watch. False if the list must be listed again. */
function mayResume(live: Live, key: string, why: WatchEnd, failedAgain: boolean): boolean {
  live.pace.onWatchEnd?.(why);
  if (why === 'refused') {
    live.watches.delete(key);
    live.unwatched.add(key);
    return false;
  }
  if (why === 'dropped' && !failedAgain) return true;
  dropList(live, key);
  noteChange(live);
  return false;
}

function applyEvent(
  live: Live,
  { path, keep }: ListRead,
  list: KeptList,
  { type, object }: WatchEvent,
): void {
  list.resourceVersion = object.metadata.resourceVersion ?? list.resourceVersion;
  if (type === 'BOOKMARK') return;
  const id = idOf(object);
  const before = list.items.get(id);
  const now = type === 'DELETED' ? undefined : keep(object);
  if (now === undefined) list.items.delete(id);
  else list.items.set(id, now);
  if (live.pace.counts(path, object) && contentOf(before) !== contentOf(now)) noteChange(live);
}

function noteChange(live: Live): void {
  live.dirty = true;
  live.wake();
}

function dropList({ lists, watches }: Live, key: string): void {
  lists.delete(key);
  watches.get(key)?.abort();
  watches.delete(key);
}

async function changed(live: Live, milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  await new Promise<void>((resolve) => {
    live.wake = resolve;
    if (live.dirty || over.aborted) resolve();
    over.addEventListener('abort', () => resolve(), { once: true });
  });
  if (live.dirty) await sleep(live.pace.settling, undefined, { signal }).catch(() => undefined);
  live.reads.clear();
  live.secrets.refresh();
  for (const key of live.lists.keys())
    if (live.unwatched.has(key) || !live.used.has(key)) dropList(live, key);
  live.used.clear();
  live.dirty = false;
}
