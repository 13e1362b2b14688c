/** The decoded bytes, or the offset of Go's error (encoding/base64 StdEncoding decodeQuantum). */
export type DecodedBase64 = { readonly bytes: Uint8Array } | { readonly illegalAt: number };

const digit = /[A-Za-z0-9+/]/;
const isBreak = (byte: string | undefined): boolean => byte === '\n' || byte === '\r';

const plain = /^[A-Za-z0-9+/]*={0,2}$/;

/** Skips only line ends; the padding must be complete, and nothing may follow it. */
export function decodeBase64(text: string): DecodedBase64 {
  // Fast path for valid input without line ends.
  if (text.length % 4 === 0 && plain.test(text)) return { bytes: Buffer.from(text, 'base64') };
  const source = Buffer.from(text, 'utf8').toString('latin1');
  let at = 0;
  let clean = '';
  for (let digits = 0; ; ) {
    while (isBreak(source[at])) at++;
    if (at >= source.length) {
      if (digits > 0) return { illegalAt: at - digits };
      return { bytes: Buffer.from(clean, 'base64') };
    }
    const byte = source[at++] ?? '';
    if (digit.test(byte)) {
      clean += byte;
      digits = (digits + 1) % 4;
      continue;
    }
    if (byte !== '=' || digits < 2) return { illegalAt: at - 1 };
    if (digits === 2) {
      while (isBreak(source[at])) at++;
      if (at >= source.length) return { illegalAt: source.length };
      if (source[at] !== '=') return { illegalAt: at - 1 };
      at++;
    }
    while (isBreak(source[at])) at++;
    return at < source.length ? { illegalAt: at } : { bytes: Buffer.from(clean, 'base64') };
  }
}
