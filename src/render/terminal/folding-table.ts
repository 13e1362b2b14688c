import stringWidth from 'string-width';
import { type Style, undivided, wrap } from './style.ts';

/** A row: cells, the name that is never cut, further cells of which the last may wrap, lines below. */
export interface FoldingRow {
  readonly before: readonly string[];
  readonly name: string;
  readonly after: readonly string[];
  readonly below?: string;
}

const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(columns - stringWidth(text), 0));

const widths = (rows: readonly (readonly string[])[]): readonly number[] =>
  (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => stringWidth(row[at] ?? ''))));

const widestWord = (text: string): number => Math.max(...text.split(' ').map((word) => stringWidth(word)));

const sumOf = (columns: readonly number[]): number => columns.reduce((sum, one) => sum + one + 2, 0);

const joined = (cells: readonly string[], columns: readonly number[]): string =>
  cells.map((cell, at) => pad(cell, columns[at] ?? 0)).join('  ');

/** Minimum width of a column of prose. */
const leastTextWidth = 24;

/**
 * Renders columns under headings. The last column wraps if that leaves room for the names; a row that does
 * not fit continues on a second line.
 */
export function foldingTable(
  headings: FoldingRow,
  rows: readonly FoldingRow[],
  { paint, width }: Style,
): readonly string[] {
  const all = [headings, ...rows];
  const [left, natural] = [widths(all.map(({ before }) => before)), widths(all.map(({ after }) => after))];
  const start = sumOf(left);
  const fixed = start + 2 + sumOf(natural.slice(0, -1));
  const last = natural.at(-1) ?? 0;
  const least = Math.min(
    last,
    Math.max(leastTextWidth, ...all.map(({ after }) => widestWord(after.at(-1) ?? ''))),
  );
  const sizes = all.map(({ name, after }) => [stringWidth(name), stringWidth(after.at(-1) ?? '')] as const);
  /** Number of lines for a width of the names: a longer name needs one more, and so does wrapped prose. */
  const cost = (names: number): number =>
    sizes.reduce(
      (sum, [name, words]) =>
        sum + Number(name > names) + Math.ceil(words / Math.max(width - fixed - names, 1)),
      0,
    );
  const heading = stringWidth(headings.name);
  const [widest = heading, ...narrower] = [...new Set(sizes.map(([name]) => name))]
    .filter((names) => names >= heading && width - fixed - names >= least)
    .sort((a, b) => b - a);
  const column = narrower.reduce((best, names) => (cost(names) < cost(best) ? names : best), widest);
  const right = [...natural.slice(0, -1), Math.min(last, Math.max(width - fixed - column, least))];
  const text = ({ before, name, after, below }: FoldingRow): string => {
    const front = before.length === 0 ? '' : `${joined(before, left)}  `;
    const cells = joined(after.slice(0, -1), right);
    const indent = start + column + 2;
    const fits = indent + sumOf(right) - 2 <= width;
    const [rest = '', ...more] = fits
      ? wrap(after.at(-1) ?? '', width, ' '.repeat(indent) + (after.length > 1 ? `${cells}  ` : ''))
      : wrap(after.map(undivided).join('  '), width, ' '.repeat(Math.max(start, 2)));
    return [
      ...(fits && stringWidth(name) <= column
        ? [`${front}${pad(name, column)}  ${rest.slice(indent)}`]
        : [`${front}${name}`, rest]),
      ...more,
      ...(below === undefined ? [] : wrap(below, width, ' '.repeat(Math.max(start, 2)))),
    ].join('\n');
  };
  return [paint.bold(text(headings)), ...rows.map(text)];
}
