import { CannotStart } from './with-cluster.ts';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** A file that somebody named, and `error`, what Node said when it was read. */
export function unreadableFile(name: string, error: unknown): CannotStart {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return new CannotStart(`${name} cannot be read: ${words[code] ?? message}`);
}
