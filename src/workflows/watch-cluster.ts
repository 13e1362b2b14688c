import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenProber } from '../collect/cluster-prober.ts';
import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import { type LivePace, liveReader, type WatchEnd } from '../collect/live-reader.ts';
import type { CalloutReport } from '../diagnose/report.ts';
import { keyOf } from '../facts/object-ref.ts';
import { serviceNameLabel } from '../facts/objects/endpoint-slice.ts';
import { CalloutNameError } from './choose-callouts.ts';
import { type ClusterOptions, withCluster } from './with-cluster.ts';

/** How often a cluster is looked at; all in milliseconds. */
export interface Pace {
  /** Between two looks, at least. */
  readonly shortest: number;
  /** And at most: what breaks without a trace in any object is met then. */
  readonly longest: number;
  /** Until what follows a change has happened, too. */
  readonly settling: number;
}

const forPeople: Pace = { shortest: 5_000, longest: 60_000, settling: 1_000 };

/** Milliseconds, then the cluster is read from the beginning, over new connections. */
const session = 6 * 60 * 60 * 1000;

/** How looks are used. */
export interface Watching<T> {
  readonly pace?: Pace;
  readonly look: (reader: ClusterReader, prober: OpenProber) => Promise<T>;
  /** Webhooks that a look was about: changes of other Services do not count. */
  readonly about: (seen: T) => readonly Pick<CalloutReport, 'backend'>[];
  /** Shows it; true: it was the last one. */
  readonly show: (seen: T) => Promise<boolean>;
  /** A look that failed; the next one follows. */
  readonly problem: (text: string) => void;
  readonly onWatchEnd?: (why: WatchEnd) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Each renews itself all the time. */
const restless = /\/(leases|events)$/;

/**
 * Looks, and looks again when an object has changed that a verdict may rest on, or after a while. Lists are watched, not
 * read anew. Throws what the first look throws; ends with the last look, or the signal.
 */
export async function watchCluster<T>(way: ClusterOptions, watching: Watching<T>): Promise<void> {
  const { look, about, show, problem, onWatchEnd, signal, pace = forPeople } = watching;
  const { shortest, longest, settling } = pace;
  let first = true;
  let last = false;
  const lookOn = async (cluster: ClusterReader, prober: OpenProber): Promise<void> => {
    const until = performance.now() + session;
    let services: ReadonlySet<string> | undefined;
    const ended = new AbortController();
    const counts: LivePace['counts'] = (path, { metadata }) => {
      if (restless.test(path)) return false;
      if (services === undefined || !/\/(services|endpointslices)$/.test(path)) return true;
      const name = path.endsWith('/services') ? metadata.name : metadata.labels?.[serviceNameLabel];
      return services.has(keyOf({ namespace: metadata.namespace, name: name ?? '' }));
    };
    const reader = liveReader(cluster, { counts, settling, onWatchEnd }, ended.signal);
    try {
      while (!last && !signal.aborted && performance.now() < until) {
        try {
          const end = performance.now() + way.milliseconds;
          const seen = await look(
            { ...reader, until: () => Math.min(end, cluster.until?.() ?? end) },
            prober,
          );
          services = new Set(
            about(seen).flatMap(({ backend: { service } }) =>
              service === undefined ? [] : [keyOf(service)],
            ),
          );
          last = await show(seen);
          if (last) return;
        } catch (error) {
          const passing = error instanceof ReadError || (error instanceof CalloutNameError && error.absent);
          if (first || !passing || signal.aborted) throw error;
          problem(error.message);
        }
        first = false;
        await sleep(shortest, undefined, { signal }).catch(() => undefined);
        await reader.changed(longest - shortest, signal);
      }
    } finally {
      ended.abort();
    }
  };
  while (!last && !signal.aborted) await withCluster({ ...way, milliseconds: 2 * session }, lookOn);
}
