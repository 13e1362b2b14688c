import { setTimeout as sleep } from 'node:timers/promises';
import { type ClusterReader, type OpenProber, ReadError } from '../../collect/cluster.ts';
import { type LivePace, liveReader } from '../../collect/live-reader.ts';
import type { WatchEnd } from '../../collect/resumed-watch.ts';
import type { CalloutReport } from '../../diagnose/report.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { serviceNameLabel } from '../../facts/objects/endpoint-slice.ts';
import { CalloutNameError } from '../selection/choose-callouts.ts';
import { type ClusterOptions, onCluster } from './with-cluster.ts';

/** Intervals between two runs, in milliseconds. */
export interface Pace {
  /** The minimum. */
  readonly shortest: number;
  /** The maximum: finds failures that no object shows. */
  readonly longest: number;
  /** The delay after a change, so that its consequences are included. */
  readonly settling: number;
}

const forPeople: Pace = { shortest: 5_000, longest: 60_000, settling: 1_000 };

/** Milliseconds after which the cluster is read again from the beginning, over new connections. */
const session = 6 * 60 * 60 * 1000;

/** The functions that use the result of a run. */
export interface Watching<T> {
  readonly pace?: Pace;
  readonly look: (reader: ClusterReader, prober: OpenProber) => Promise<T>;
  /** The webhooks of a result: changes of other Services are ignored. */
  readonly about: (result: T) => readonly Pick<CalloutReport, 'backend'>[];
  /** Prints the result. Returns true to end the watch. */
  readonly show: (result: T) => Promise<boolean>;
  /** Called with the error of a run; the watch continues. */
  readonly problem: (text: string) => void;
  readonly onWatchEnd?: (why: WatchEnd) => void;
  /** Called if a Secret that was read has changed. Absent: Secrets are not watched. */
  readonly onSecretChange?: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Lists that change all the time, which do not start a run. */
const changesOften = /\/(leases|events)$/;

/**
 * Runs once, and again if an object changes that can affect a verdict, or after an interval. Lists are watched, not read
 * again. Throws the error of the first run; ends with the last result, or the signal.
 */
export async function watchCluster<T>(options: ClusterOptions, watching: Watching<T>): Promise<void> {
  const { look, about, show, problem, onWatchEnd, onSecretChange, signal, pace = forPeople } = watching;
  const { shortest, longest, settling } = pace;
  let first = true;
  let last = false;
  const watchWith = async (cluster: ClusterReader, prober: OpenProber): Promise<void> => {
    const until = performance.now() + session;
    let services: ReadonlySet<string> | undefined;
    const ended = new AbortController();
    const counts: LivePace['counts'] = (path, { metadata }) => {
      if (changesOften.test(path)) return false;
      if (services === undefined || !/\/(services|endpointslices)$/.test(path)) return true;
      const name = path.endsWith('/services') ? metadata.name : metadata.labels?.[serviceNameLabel];
      return services.has(keyOf({ namespace: metadata.namespace, name: name ?? '' }));
    };
    const reader = liveReader(cluster, { counts, settling, onWatchEnd, onSecretChange }, ended.signal);
    try {
      while (!last && !signal.aborted && performance.now() < until) {
        try {
          const end = performance.now() + options.milliseconds;
          const result = await look(
            { ...reader, until: () => Math.min(end, cluster.until?.() ?? end) },
            prober,
          );
          services = new Set(
            about(result).flatMap(({ backend: { service } }) =>
              service === undefined ? [] : [keyOf(service)],
            ),
          );
          last = await show(result);
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
  while (!last && !signal.aborted) await onCluster({ ...options, milliseconds: 2 * session }, watchWith);
}
