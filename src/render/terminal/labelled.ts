import { type Style, wrap } from './style.ts';

/** Texts with a label in front. One without a text, undefined or empty, is not shown. */
export type Labelled = readonly (readonly [label: string, text: string | undefined])[];

/** A blank line, then lines with a label in front (`Impact`, `Fix`); a repeated label is printed once. */
export function labelled(given: Labelled, { paint, width }: Style): string[] {
  const lines = given.flatMap(([label, text]) =>
    text === undefined || text === '' ? [] : [{ label, text }],
  );
  const column = Math.max(6, ...lines.map(({ label }) => label.length)) + 2;
  const rows = lines.flatMap(({ label, text }, at) => {
    const shown = lines[at - 1]?.label === label ? '' : label;
    const indent = ' '.repeat(column + 2);
    const [first = '', ...others] = wrap(text, width, indent);
    return [`  ${paint.bold(shown)}${' '.repeat(column - shown.length)}${first.trimStart()}`, ...others];
  });
  return rows.length === 0 ? [] : ['', ...rows];
}
