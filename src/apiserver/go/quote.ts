const escapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function escaped(character: string): string {
  const known = escapes[character];
  if (known !== undefined) return known;
  if (printable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x1_0000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** A text as Go's %q prints it (strconv.Quote). */
export const goQuote = (text: string): string => `"${[...text].map(escaped).join('')}"`;
