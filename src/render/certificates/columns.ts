import stringWidth from 'string-width';

/** Rows of cells as lines whose columns stand under each other; the last one is never padded. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(0, ...rows.map((row) => stringWidth(row[at] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at === row.length - 1 ? cell : `${cell}${' '.repeat((widths[at] ?? 0) - stringWidth(cell) + 2)}`,
      )
      .join('')
      .trimEnd(),
  );
}

export const widest = (lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => stringWidth(line)));
