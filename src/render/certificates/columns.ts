import stringWidth from 'string-width';

/**
 * Aligns rows of cells in columns; the last column is not padded. `widths` holds the column widths of earlier
 * rows of the same table; this function increases them as needed.
 */
export function columns(rows: readonly (readonly string[])[], widths: number[] = []): readonly string[] {
  const sizes = rows.map((row) => row.map((cell) => stringWidth(cell)));
  for (const row of sizes)
    for (const [at, size] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, size);
  return rows.map((row, line) =>
    row
      .map((cell, at) => {
        const padding = (widths[at] ?? 0) - (sizes[line]?.[at] ?? 0) + 2;
        return at === row.length - 1 ? cell : `${cell}${' '.repeat(padding)}`;
      })
      .join('')
      .trimEnd(),
  );
}

/** The columns of the widest line in a terminal; 0 without lines. */
export const widest = (lines: readonly string[]): number =>
  Math.max(0, ...lines.map((line) => stringWidth(line)));
