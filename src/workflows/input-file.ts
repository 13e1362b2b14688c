import { createReadStream } from 'node:fs';
import { CannotStart } from './cannot-start.ts';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** A file that somebody named, and `error`, what Node said when it was read. */
export function unreadableFile(name: string, error: unknown): CannotStart {
  return new CannotStart(`${name} cannot be read: ${reasonOf(error)}`);
}

/** The same for one that was to be written. */
export const unwritableFile = (name: string, error: unknown): CannotStart =>
  new CannotStart(`${name} cannot be written: ${reasonOf(error)}`);

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return words[code] ?? message;
}

const mebibyte = 1024 * 1024;

/** A file that somebody named may hold this many bytes. */
export interface InputLimit {
  readonly bytes: number;
  /** What to do about more. */
  readonly advice?: string;
}

/** The content of a file; `-` is standard input. Throws CannotStart where it cannot be read, or is larger than `atMost`. */
export async function inputFrom(file: string, { bytes, advice }: InputLimit): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of file === '-' ? process.stdin : createReadStream(file)) {
      pieces.push(piece as Buffer);
      length += (piece as Buffer).length;
      if (length > bytes) break;
    }
  } catch (error) {
    throw unreadableFile(file, error);
  }
  if (length <= bytes) return Buffer.concat(pieces);
  const name = file === '-' ? 'The input' : file;
  throw new CannotStart(`${name} is larger than ${bytes / mebibyte} MiB.`, advice);
}
