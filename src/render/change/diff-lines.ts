import type { Style } from '../terminal/style.ts';

/** A unified diff, in the colours that people know. */
export function diffLines(diff: string, { paint }: Style): string[] {
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return paint.bold(line);
      if (line.startsWith('@@')) return paint.cyan(line);
      if (line.startsWith('+')) return paint.green(line);
      return line.startsWith('-') ? paint.red(line) : line;
    });
}
