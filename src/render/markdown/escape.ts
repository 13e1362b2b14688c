/** Text as Markdown shows it unchanged: no markup, no mention of people, no HTML. */
export const escaped = (text: string): string =>
  text
    .replace(/[\\`*_~[\]|]|^\s*#/gm, (mark) => mark.replace(/\S/, '\\$&'))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
    .replace(/^(\s*)([-+]|\d+\.)(?=\s)/gm, '$1\\$2');

const fence = (text: string, least: number): string => {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  return '`'.repeat(Math.max(least, longest + 1));
};

/** Text in a line, letter by letter. */
export function code(text: string): string {
  const ticks = fence(text, 1);
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${ticks}${padding}${text.replaceAll('\n', ' ')}${padding}${ticks}`;
}

/** Lines of their own, to be copied. */
export function block(text: string): string {
  const ticks = fence(text, 3);
  return `${ticks}\n${text}\n${ticks}`;
}
