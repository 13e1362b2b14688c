import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from '../facts/objects/metadata.ts';
import { type ClusterReader, ReadError, type WatchRequest } from './cluster.ts';

/** The fields of an object that a watch needs. */
export interface Watched {
  readonly metadata: Metadata & { readonly uid?: string; readonly resourceVersion?: string };
}

/** A line of a watch, except errors (apimachinery pkg/apis/meta/v1 WatchEvent). */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: Watched;
}

/** The last line of a watch that the API server ends with an error, mostly 410. */
interface WatchError {
  readonly type: 'ERROR';
  /** A Status. */
  readonly object: { readonly code?: number; readonly message?: string };
}

/**
 * Why a watch ended early: no response, its resourceVersion expired (410), forbidden, or not served. `limit`: it was not
 * started, because there are too many.
 */
export type WatchEnd = 'dropped' | 'expired' | 'refused' | 'limit';

/** Seconds after which the API server ends a watch. One that lasts longer has lost its connection. */
const watchTime = 240;
const longestWatch = 300;
/** Milliseconds before a watch is continued; a shorter watch counts as failed. */
const beforeResuming = 1000;
const lastingWatch = 10_000;

/** A watch that is continued when it ends. */
export interface ResumedWatch {
  /** The objects, and the resourceVersion from which it continues. With bookmarks, unless its query has none. */
  readonly request: () => WatchRequest;
  readonly each: (event: WatchEvent) => void;
  /** Called at an early end; `failedAgain`: for the second time within seconds. False ends the watch. */
  readonly mayResume: (why: WatchEnd, failedAgain: boolean) => boolean;
}

/** Watches, and continues a watch that ends, until `mayResume` or the signal ends it. */
export async function resumedWatch(
  reader: ClusterReader,
  { request, each, mayResume }: ResumedWatch,
  over: AbortSignal,
): Promise<void> {
  for (let failed = false; !over.aborted; ) {
    const { query, ...of } = request();
    const watching = { watch: true, allowWatchBookmarks: true, timeoutSeconds: watchTime, ...query };
    const began = performance.now();
    // The error of the API server: the transport turns one that is thrown into its own.
    let reported: ReadError | undefined;
    try {
      await reader.watch?.(
        { ...of, query: watching },
        (line) => {
          const event: WatchEvent | WatchError = JSON.parse(line);
          if (event.type !== 'ERROR') return each(event);
          reported = reportedError(event, of.path);
          throw reported;
        },
        AbortSignal.any([over, AbortSignal.timeout(longestWatch * 1000)]),
      );
      failed = false;
    } catch (error) {
      if (over.aborted) return;
      const failedAgain = failed && performance.now() - began < lastingWatch;
      if (!mayResume(endOf(reported ?? error), failedAgain)) return;
      failed = true;
    }
    await sleep(beforeResuming, undefined, { signal: over }).catch(() => undefined);
  }
}

const reportedError = ({ object: { code = 410, message = '' } }: WatchError, path: string): ReadError =>
  new ReadError(`the watch of ${path} ended: ${message}`, { reason: 'server-error', path, status: code });

const endOf = (error: unknown): WatchEnd => {
  const status = error instanceof ReadError ? error.status : undefined;
  if (status === 410) return 'expired';
  return status === 403 || status === 405 || status === 406 ? 'refused' : 'dropped';
};
