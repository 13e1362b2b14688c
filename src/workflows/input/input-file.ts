import { createReadStream, fstatSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { CannotStart, RunOutOfTime } from '../cluster/cannot-start.ts';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Error for a file that cannot be read, with Node's `error`. */
export function unreadableFile(name: string, error: unknown): CannotStart {
  return new CannotStart(`${name} cannot be read: ${reasonOf(error)}`);
}

/** Error for a file that cannot be written. */
export const unwritableFile = (name: string, error: unknown): CannotStart =>
  new CannotStart(`${name} cannot be written: ${reasonOf(error)}`);

function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return words[code] ?? message;
}

const mebibyte = 1024 * 1024;

/** The name of a file in messages. */
export const inputName = (file: string): string => (file === '-' ? 'standard input' : file);

/** Whether standard input is a pipe of the shell or a file. Programs that start others can leave a socket open. */
export function hasPipedInput(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isFile();
  } catch {
    return false;
  }
}

/** Maximum size of a file in bytes. */
export interface InputLimit {
  readonly bytes: number;
  /** What to do about a larger file. */
  readonly advice?: string;
  /** Aborts the read: a pipe may never end. */
  readonly deadline?: AbortSignal;
}

/** Reads a file; `-` is standard input. Throws CannotStart if unreadable, or larger than `atMost`. */
export async function inputFrom(file: string, { bytes, advice, deadline }: InputLimit): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    const input = file === '-' ? process.stdin : createReadStream(file);
    if (deadline !== undefined) addAbortSignal(deadline, input);
    for await (const piece of input) {
      pieces.push(piece as Buffer);
      length += (piece as Buffer).length;
      if (length > bytes) break;
    }
  } catch (error) {
    if (deadline?.aborted === true) throw new RunOutOfTime(`while ${inputName(file)} was read`);
    throw unreadableFile(file, error);
  }
  if (length <= bytes) return Buffer.concat(pieces);
  const name = file === '-' ? 'The input' : file;
  throw new CannotStart(`${name} is larger than ${bytes / mebibyte} MiB.`, advice);
}
