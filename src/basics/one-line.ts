/** Joins lines with one space, in linear time: a regular expression with `\s*\n` is quadratic on long runs of spaces. */
export const onOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line, at, { length }) => {
      const started = at === 0 ? line : line.trimStart();
      return at === length - 1 ? started : started.trimEnd();
    })
    .filter((line, at, { length }) => line !== '' || at === 0 || at === length - 1)
    .join(' ');
