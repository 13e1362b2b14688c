/** The first `most` lines and one that says how many more there are; all of them when that saves nothing. */
export const cut = (
  lines: readonly string[],
  most: number | undefined,
  rest: (hidden: number) => string,
): readonly string[] =>
  most === undefined || lines.length <= most + 1
    ? lines
    : [...lines.slice(0, most), rest(lines.length - most)];
