import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { addAbortSignal, PassThrough, pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unreadableFile } from '../input/input-file.ts';

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
export async function readSource(
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
    let hasStarted = false;
    for await (const chunk of source) {
      let piece = chunk as Buffer;
      if (!hasStarted) {
        first = Buffer.concat([first, piece]);
        if (first.length < gzipMagic.length) continue;
        hasStarted = true;
        piece = first;
        if (gzipMagic.equals(piece.subarray(0, 2))) unpacked = startUnpacking();
      }
      await hand(piece);
      if (unpacked?.destroyed) break;
    }
    if (!hasStarted && first.length > 0) take(first);
    unpacked?.end();
    await unpacking;
    return undefined;
  } catch (error) {
    return signal.aborted ? 'it was interrupted' : (error as Error).message;
  } finally {
    if (source !== process.stdin) source.destroy();
  }
}
