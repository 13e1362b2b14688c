import { counted } from '../../phrases/lists.ts';
import type { ScanReport } from '../../scan/scan-report.ts';
import { scanner } from '../../scan/scanner.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { type ClusterOptions, onCluster } from '../cluster/with-cluster.ts';
import { causesOf } from '../explain.ts';
import { readSource } from './read-source.ts';

interface ScanOptions {
  /** A file, or `-`. */
  readonly source: string;
  readonly now: Date;
  readonly signal: AbortSignal;
  /** The cluster in which the worst webhooks are examined; undefined: none. */
  readonly cluster?: ClusterOptions | undefined;
  readonly onStage?: (stage: string) => void;
}

/** Maximum number of webhooks to examine in a cluster. */
const worst = 3;

/** Bytes between two progress updates. */
const step = 64 * 1024 * 1024;

/** Examines the worst webhooks of a log in the cluster. Throws CannotStart for a file that cannot be read. */
export async function scan(options: ScanOptions): Promise<ScanReport> {
  const { source, now, signal, onStage } = options;
  const reading = scanner(now, causesOf);
  let [read, reported] = [0, 0];
  const brokenOff = await readSource(
    source,
    (piece) => {
      reading.take(piece);
      read += piece.length;
      if (read - reported < step) return;
      reported = read;
      onStage?.(`reading ${source}: ${Math.round(read / 1e6)} MB`);
    },
    signal,
  );
  const { bytes, examined, damaged, kind, ...found } = reading.end();
  const report: ScanReport = {
    apiVersion: 'kubectl-webhook/v1',
    kind: 'ScanReport',
    takenAt: now.toISOString(),
    source: {
      name: source,
      kind,
      bytes,
      examined,
      damaged,
      ...(brokenOff === undefined ? {} : { brokenOff }),
    },
    ...found,
  };
  const failing = report.callouts.filter(({ failures }) => failures.count > 0).slice(0, worst);
  if (options.cluster === undefined || failing.length === 0 || signal.aborted) return report;
  onStage?.(`examining ${counted(failing.length, 'webhook')} in the cluster`);
  try {
    const { examineWebhooks } = await import('./look-at-cluster.ts');
    const cluster = await onCluster(options.cluster, (reader, prober) =>
      examineWebhooks({ reader, prober, now }, failing),
    );
    return { ...report, ...cluster };
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    return { ...report, notLive: error.sentence };
  }
}
