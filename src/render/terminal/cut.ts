/** The first `most` lines and a line with the number of others; all lines if that is not shorter. */
export const cut = (
  lines: readonly string[],
  most: number | undefined,
  rest: (hidden: number) => string,
): readonly string[] =>
  most === undefined || lines.length <= most + 1
    ? lines
    : [...lines.slice(0, most), rest(lines.length - most)];
