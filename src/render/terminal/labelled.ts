import { type Style, wrap } from './style.ts';

/** A blank line, then lines with a label in front (`Impact`, `Fix`); a repeated label is printed once. */
export function labelled(
  lines: readonly (readonly [label: string, text: string])[],
  { paint, width }: Style,
): string[] {
  const column = Math.max(6, ...lines.map(([label]) => label.length)) + 2;
  const rows = lines.flatMap(([label, text], at) => {
    const shown = lines[at - 1]?.[0] === label ? '' : label;
    const indent = ' '.repeat(column + 2);
    const [first = '', ...others] = wrap(text, width, indent);
    return [`  ${paint.bold(shown)}${' '.repeat(column - shown.length)}${first.trimStart()}`, ...others];
  });
  return rows.length === 0 ? [] : ['', ...rows];
}
