import { type Cursor, Malformed, readDer, tags } from './der.ts';

/** Dotted, `2.5.29.17`; undefined if it is not one (cryptobyte ReadASN1ObjectIdentifier). */
function dotted(bytes: Buffer): string | undefined {
  let text: string | undefined;
  let value = 0;
  let octets = 0;
  for (const octet of bytes) {
    if (octets === 5 || value >= 1 << 24 || (octets === 0 && octet === 0x80)) return undefined;
    value = value * 128 + (octet & 0x7f);
    octets += 1;
    if (octet >= 0x80) continue;
    if (text !== undefined) text += `.${value}`;
    else text = value < 80 ? `${Math.floor(value / 40)}.${value % 40}` : `2.${value - 80}`;
    value = 0;
    octets = 0;
  }
  return octets > 0 ? undefined : text;
}

/** Reads an object identifier, `2.5.29.17`. Throws Malformed with the message `orElse`. */
export function readObjectIdentifier(cursor: Cursor, orElse: string): string {
  const identifier = dotted(readDer(cursor, tags.objectIdentifier, orElse));
  if (identifier === undefined) throw new Malformed(orElse);
  return identifier;
}

/** Reads a boolean: one byte, 0x00 or 0xff (cryptobyte ReadASN1Boolean). Throws Malformed with `orElse`. */
export function readBoolean(cursor: Cursor, orElse: string): boolean {
  const bytes = readDer(cursor, tags.boolean, orElse);
  if (bytes.length !== 1 || (bytes[0] !== 0 && bytes[0] !== 0xff)) throw new Malformed(orElse);
  return bytes[0] === 0xff;
}

/** A signed integer in its shortest form (cryptobyte checkASN1Integer). Throws Malformed with `orElse`. */
export function readInteger(cursor: Cursor, orElse: string, tag: number = tags.integer): bigint {
  const bytes = readDer(cursor, tag, orElse);
  const [first, second] = bytes;
  const padded =
    second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
  if (first === undefined || padded) throw new Malformed(orElse);
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${bytes.toString('hex')}`));
}

/** An integer that fits into Go's int64. */
export function readNumber(cursor: Cursor, orElse: string, tag?: number): number {
  const value = readInteger(cursor, orElse, tag);
  if (BigInt.asIntN(64, value) !== value) throw new Malformed(orElse);
  return Number(value);
}

/** The content of a BIT STRING. */
export interface BitString {
  readonly bytes: Buffer;
  /** Number of unused bits in the last byte. */
  readonly padding: number;
}

/** A BIT STRING whose unused bits are 0 (cryptobyte ReadASN1BitString). Throws Malformed with `orElse`. */
export function readBitString(cursor: Cursor, orElse: string): BitString {
  const content = readDer(cursor, tags.bitString, orElse);
  const padding = content[0] ?? 8;
  const bytes = content.subarray(1);
  const spare = padding > 7 ? undefined : (1 << padding) - 1;
  if (spare === undefined || ((bytes.at(-1) ?? 1) & spare) !== 0) throw new Malformed(orElse);
  return { bytes, padding };
}

/** The bits, right-aligned (encoding/asn1 BitString.RightAlign). */
export function rightAligned({ bytes, padding }: BitString): Buffer {
  if (padding === 0 || bytes.length === 0) return bytes;
  return Buffer.from(bytes.map((octet, at) => (octet >> padding) | ((bytes[at - 1] ?? 0) << (8 - padding))));
}

/** The bit at this index, from the first bit on. */
export const bitAt = ({ bytes, padding }: BitString, at: number): boolean =>
  at < bytes.length * 8 - padding && ((bytes[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0;

/** True if the bytes are a valid IA5String. */
export const isAscii = (bytes: Buffer): boolean => bytes.every((octet) => octet < 0x80);
