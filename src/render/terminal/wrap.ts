import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Stands for a space inside something that is copied as a whole (U+E000, private use: nobody's letter). */
const glue = '\ue000';

/** What people copy is never broken: text in backticks, and lines that are a command. Indentation stays. */
const glued = (line: string): string =>
  /^\s*(\$ )?kubectl /.test(line)
    ? line.trimEnd().replaceAll(' ', glue)
    : line.replace(/^ +|`[^`]+`/g, (whole) => whole.replaceAll(' ', glue));

/**
 * Text in lines of at most `width` columns. The first line starts with `first`, the others with `rest`; words that are
 * longer than a line (names, commands) stay whole, so that they can be copied, unless `hard`: then no line is longer.
 */
export function wrap(
  text: string,
  width: number,
  first = '',
  rest = ' '.repeat(stringWidth(first)),
  hard = false,
): string[] {
  const columns = Math.max(width - Math.max(stringWidth(first), stringWidth(rest)), 20);
  return text
    .split('\n')
    .flatMap((line) => wrapAnsi(glued(line), columns, { hard }).split('\n'))
    .map((line, at) => `${at === 0 ? first : rest}${line.replaceAll(glue, ' ')}`.trimEnd());
}
