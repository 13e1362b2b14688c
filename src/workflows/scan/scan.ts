import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal, PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { counted } from '../../phrases/lists.ts';
import type { ScanReport } from '../../scan/scan-report.ts';
import { scanner } from '../../scan/scanner.ts';
import { causesOf } from '../explain.ts';
import { unreadableFile } from '../input-file.ts';
import { CannotStart, type ClusterOptions, withCluster } from '../with-cluster.ts';

const pieceSize = 1024 * 1024;
const gzipMagic = Buffer.from([0x1f, 0x8b]);

async function opened(name: string): Promise<Readable> {
  if (name === '-') return process.stdin;
  try {
    const file = await open(name);
    if ((await file.stat()).isDirectory()) {
      await file.close();
      throw Object.assign(new Error(), { code: 'EISDIR' });
    }
    return createReadStream(name, { fd: file, highWaterMark: pieceSize });
  } catch (error) {
    throw unreadableFile(name, error);
  }
}

/**
 * Reads a file, or standard input for `-`, in chunks; gzip is detected by content and decompressed. Returns
 * the reason if the input ended early: the chunks before that were passed on.
 */
async function readSource(
  name: string,
  take: (piece: Buffer) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Input may be slow: an interruption also ends the wait.
  const source = addAbortSignal(signal, await opened(name));
  let unpacked: PassThrough | undefined;
  let unpacking: Promise<void> | undefined;
  let first = Buffer.alloc(0);
  const startUnpacking = (): PassThrough => {
    const input = new PassThrough({ highWaterMark: pieceSize });
    const output = pipeline(input, createGunzip({ chunkSize: pieceSize }), () => undefined);
    unpacking = (async () => {
      for await (const piece of output) take(piece as Buffer);
    })();
    // Reported below, after all compressed data was passed on.
    unpacking.catch(() => undefined);
    return input;
  };
  const hand = async (piece: Buffer): Promise<void> => {
    if (unpacked === undefined) take(piece);
    else if (!unpacked.write(piece) && !unpacked.destroyed)
      await new Promise((resolve) => unpacked?.once('drain', resolve).once('close', resolve));
  };
  try {
    let begun = false;
    for await (const chunk of source) {
      let piece = chunk as Buffer;
      if (!begun) {
        first = Buffer.concat([first, piece]);
        if (first.length < gzipMagic.length) continue;
        begun = true;
        piece = first;
        if (gzipMagic.equals(piece.subarray(0, 2))) unpacked = startUnpacking();
      }
      await hand(piece);
      if (unpacked?.destroyed) break;
    }
    if (!begun && first.length > 0) take(first);
    unpacked?.end();
    await unpacking;
    return undefined;
  } catch (error) {
    return signal.aborted ? 'it was interrupted' : (error as Error).message;
  } finally {
    if (source !== process.stdin) source.destroy();
  }
}

interface ScanQuestion {
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
export async function scan(question: ScanQuestion): Promise<ScanReport> {
  const { source, now, signal, onStage } = question;
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
  if (question.cluster === undefined || failing.length === 0 || signal.aborted) return report;
  onStage?.(`examining ${counted(failing.length, 'webhook')} in the cluster`);
  try {
    const { examineWebhooks: lookAtCluster } = await import('./look-at-cluster.ts');
    const cluster = await withCluster(question.cluster, (reader, prober) =>
      lookAtCluster(reader, prober, failing, now),
    );
    return { ...report, ...cluster };
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    return { ...report, notLive: error.message.split('\n', 1)[0] ?? '' };
  }
}
