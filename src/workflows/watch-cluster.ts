import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenProber } from '../collect/cluster-prober.ts';
import { type ClusterReader, ReadError } from '../collect/cluster-reader.ts';
import { liveReader } from '../collect/live-reader.ts';
import type { CalloutReport } from '../diagnose/report.ts';
import { keyOf } from '../facts/object-ref.ts';
import { serviceNameLabel } from '../facts/objects/endpoint-slice.ts';
import { CalloutNameError } from './choose-callouts.ts';
import { type ClusterOptions, withCluster } from './with-cluster.ts';

/** Milliseconds between two looks, at least; and at most: what breaks without a trace in any object is met then. */
const shortest = 5_000;
const longest = 60_000;

const aDay = 24 * 60 * 60 * 1000;

/** How looks are used. */
export interface Watching<T> {
  readonly look: (reader: ClusterReader, prober: OpenProber) => Promise<T>;
  /** Webhooks that a look was about: changes of other Services do not count. */
  readonly about: (seen: T) => readonly Pick<CalloutReport, 'backend'>[];
  /** Shows it; true: it was the last one. */
  readonly show: (seen: T) => Promise<boolean>;
  /** A look that failed; the next one follows. */
  readonly problem: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Each renews itself all the time. */
const restless = /\/(leases|events)$/;

/**
 * Looks, and looks again when an object has changed that a verdict may rest on, or after a minute. Lists are watched, not
 * read anew. Throws what the first look throws; ends with the last look, or the signal.
 */
export function watchCluster<T>(way: ClusterOptions, watching: Watching<T>): Promise<void> {
  const { look, about, show, problem, signal } = watching;
  return withCluster({ ...way, milliseconds: aDay }, async (cluster, prober) => {
    let services: ReadonlySet<string> | undefined;
    const ended = new AbortController();
    const reader = liveReader(
      cluster,
      (path, { metadata }) => {
        if (restless.test(path)) return false;
        if (services === undefined || !/\/(services|endpointslices)$/.test(path)) return true;
        const name = path.endsWith('/services') ? metadata.name : metadata.labels?.[serviceNameLabel];
        return services.has(keyOf({ namespace: metadata.namespace, name: name ?? '' }));
      },
      ended.signal,
    );
    try {
      for (let first = true; !signal.aborted; first = false) {
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
          if (await show(seen)) return;
        } catch (error) {
          const passing = error instanceof ReadError || (error instanceof CalloutNameError && error.absent);
          if (first || !passing || signal.aborted) throw error;
          problem(error.message);
        }
        await sleep(shortest, undefined, { signal }).catch(() => undefined);
        await reader.changed(longest - shortest, signal);
      }
    } finally {
      ended.abort();
    }
  });
}
