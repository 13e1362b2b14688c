/**
 * UTF-8 as HTTP carries it: Node writes headers as Latin-1, Go writes the bytes of the text. Undefined where the text
 * cannot stand in a header at all (a line break, another control character).
 */
export function headerText(text: string): string | undefined {
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) return undefined;
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * A text that may end a header's name: what no header name may hold is %-escaped, byte for byte. Source:
 * client-go/transport/round_trippers.go, headerKeyEscape.
 */
export function headerNameSuffix(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (/[A-Za-z0-9!#$&'*+.^_`|~-]/.test(character)) return character;
      return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
