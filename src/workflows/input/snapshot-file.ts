import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { largerThan, limits } from '../../basics/limits.ts';
import type { ClusterReader, OpenProber } from '../../collect/cluster.ts';
import { checkShape, LimitExceeded } from '../../collect/kube/http/limits.ts';
import { snapshotReader } from '../../collect/snapshot-reader.ts';
import type { Snapshot } from '../../facts/snapshot.ts';
import { type Redaction, redactionOf } from '../../snapshot/redact.ts';
import { SnapshotProblem, snapshotOf, snapshotText } from '../../snapshot/snapshot-document.ts';
import { CannotStart } from '../cluster/cannot-start.ts';
import { inputFrom, unwritableFile } from './input-file.ts';

const isPacked = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

async function unpacked(bytes: Buffer): Promise<Buffer> {
  const plain = isPacked(bytes)
    ? await promisify(gunzip)(bytes, { maxOutputLength: limits.snapshot })
    : bytes;
  if (plain.length > limits.snapshot) throw new RangeError();
  return plain;
}

/** The cluster of a snapshot file; `-` is standard input. Throws CannotStart for an invalid one. */
export async function openSnapshot(
  file: string,
  namespace: string | undefined,
): Promise<{ readonly reader: ClusterReader; readonly prober: OpenProber }> {
  const bytes = await inputFrom(file, { bytes: limits.snapshot });
  const { nothingRequested } = await import('../../collect/collectors/catalogue.ts');
  const { malformedFact } = await import('../../collect/shape.ts');
  try {
    const json = await unpacked(bytes);
    checkShape(json);
    const recorded = snapshotOf(json.toString('utf8'), nothingRequested());
    const malformed = malformedFact(recorded.facts);
    if (malformed !== undefined)
      throw new SnapshotProblem(
        `the snapshot is damaged: facts.${malformed} does not have the type that the API has`,
      );
    for (const [, { length }] of recorded.facts.samples.entries())
      if (length > limits.samples)
        throw new SnapshotProblem(`the snapshot has more than ${limits.samples} samples of one webhook`);
    const reader = snapshotReader(recorded, namespace);
    return { reader, prober: () => Promise.reject(new Error('a snapshot has no backends')) };
  } catch (error) {
    if (error instanceof LimitExceeded) throw new CannotStart(`${file}: the snapshot ${error.message}`);
    if (error instanceof SnapshotProblem) throw new CannotStart(`${file}: ${error.message}`);
    if (error instanceof RangeError)
      throw new CannotStart(`${file}: the snapshot ${largerThan(limits.snapshot)}`);
    const { code = '' } = error as NodeJS.ErrnoException;
    if (/^Z_|^ERR_BUFFER/.test(code)) throw new CannotStart(`${file}: the compressed data is damaged`);
    throw error;
  }
}

/** A file name for a new snapshot; of several clusters, with the context, without unsuitable characters. */
export function snapshotName(now: Date, context?: string): string {
  const plain = context?.replace(/[^\w.-]+/g, '-').slice(-100);
  const hash =
    plain === context
      ? ''
      : `-${createHash('sha256')
          .update(context ?? '')
          .digest('hex')
          .slice(0, 8)}`;
  const at = now.toISOString().replace(/[-:]|\.\d+/g, '');
  return `webhooks-${context === undefined ? '' : `${plain}${hash}-`}${at}.json.gz`;
}

/** Creates a directory for snapshots, unless it exists. Throws CannotStart. */
export const makeDirectory = (directory: string): Promise<unknown> =>
  mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw unwritableFile(directory, error);
  });

/** The flags of `snapshot`. */
export interface SnapshotOptions {
  /** A path that does not exist yet, or `-`. A name that ends in .gz is compressed. */
  readonly file: string;
  readonly redact: boolean;
  /** Name and version of this program, stored for the reader. */
  readonly program: string;
}

/** The result of a written snapshot. */
export interface WrittenSnapshot {
  readonly bytes: number;
  /** Names that `redact` could not replace, because certificates contain them. */
  readonly kept: Redaction['kept'];
}

/** Writes a snapshot that only its owner can read. Throws CannotStart if it cannot be written. */
export async function writeSnapshot(snapshot: Snapshot, question: SnapshotOptions): Promise<WrittenSnapshot> {
  const { file, redact, program } = question;
  const redaction = redact ? redactionOf(snapshot) : undefined;
  const text = Buffer.from(`${snapshotText(snapshot, program, redaction)}\n`);
  const bytes = file.endsWith('.gz') ? await promisify(gzip)(text) : text;
  const kept = redaction?.kept ?? [];
  if (file === '-') process.stdout.write(bytes);
  else
    await writeFile(file, bytes, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new CannotStart(`${file} exists; choose another name, or delete it`);
      throw unwritableFile(file, error);
    });
  return { bytes: bytes.length, kept };
}
