import stringWidth from 'string-width';
import type { Style } from './style.ts';
import { undivided, wrap } from './wrap.ts';

/** A row: cells, the name that is never cut, cells; and what stands below it. */
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

const joined = (cells: readonly string[], columns: readonly number[]): string =>
  cells.map((cell, at) => pad(cell, columns[at] ?? 0)).join('  ');

/** Columns under headings, a text for each row. A row that does not fit goes on in a second line. */
export function foldingTable(
  headings: FoldingRow,
  rows: readonly FoldingRow[],
  { paint, width }: Style,
): readonly string[] {
  const all = [headings, ...rows];
  const [left, right] = [widths(all.map(({ before }) => before)), widths(all.map(({ after }) => after))];
  const start = left.reduce((sum, columns) => sum + columns + 2, 0);
  const behind = right.reduce((sum, columns) => sum + columns + 2, 0);
  const longest = Math.max(...all.map(({ name }) => stringWidth(name)));
  const column = Math.max(Math.min(longest, width - start - behind), stringWidth(headings.name));
  const text = ({ before, name, after, below }: FoldingRow): string => {
    const front = before.length === 0 ? '' : `${joined(before, left)}  `;
    const rest = joined(after, right).trimEnd();
    const whole = `${front}${pad(name, column)}  ${rest}`;
    const fits = stringWidth(name) <= column && stringWidth(whole) <= width;
    const indent = start + column + 2 + stringWidth(rest) <= width ? start + column + 2 : Math.max(start, 2);
    const second =
      indent > start + column
        ? [`${' '.repeat(indent)}${rest}`]
        : wrap(after.map(undivided).join('  '), width, ' '.repeat(indent));
    return [
      ...(fits ? [whole] : [`${front}${name}`, ...second]),
      ...(below === undefined ? [] : wrap(below, width, ' '.repeat(Math.max(start, 2)))),
    ].join('\n');
  };
  return [paint.bold(text(headings)), ...rows.map(text)];
}
