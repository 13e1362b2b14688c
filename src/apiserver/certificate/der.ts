/** Bytes that Go's parser refuses. `message`: its words. */
export class Malformed extends Error {}

/** One DER element. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With its tag and length. */
  readonly whole: Buffer;
}

/** A place in DER bytes, moved on by what reads there. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

/** `[n]` of a primitive type, and of a constructed one. */
export const contextTag = (n: number): number => 0x80 | n;
export const constructedTag = (n: number): number => 0xa0 | n;

export const startOf = (bytes: Buffer): Cursor => ({ bytes, at: 0 });
export const atEnd = ({ bytes, at }: Cursor): boolean => at >= bytes.length;
export const comesNext = ({ bytes, at }: Cursor, tag: number): boolean => bytes[at] === tag;

/** Length of the header and of the content; undefined for lengths that DER does not allow. */
function lengths(
  bytes: Buffer,
  at: number,
): { readonly header: number; readonly content: number } | undefined {
  const first = bytes[at + 1];
  if (first === undefined) return undefined;
  if (first < 0x80) return { header: 2, content: first };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 2 + count > bytes.length) return undefined;
  const content = bytes.readUIntBE(at + 2, count);
  const shortest = content < 0x80 ? 0 : Math.ceil((32 - Math.clz32(content)) / 8);
  return shortest === count ? { header: 2 + count, content } : undefined;
}

/** Undefined where no whole DER element stands: golang.org/x/crypto/cryptobyte readASN1. */
export function readAny(cursor: Cursor): Element | undefined {
  const { bytes, at } = cursor;
  const tag = bytes[at];
  const length = lengths(bytes, at);
  if (tag === undefined || length === undefined || (tag & 0x1f) === 0x1f) return undefined;
  const content = at + length.header;
  const end = content + length.content;
  if (end > bytes.length) return undefined;
  cursor.at = end;
  return { tag, content: bytes.subarray(content, end), whole: bytes.subarray(at, end) };
}

/** The next element, which must have this tag; otherwise Malformed with these words. */
export function readElement(cursor: Cursor, tag: number, orElse: string): Element {
  const element = readAny(cursor);
  if (element?.tag !== tag) throw new Malformed(orElse);
  return element;
}

/** The content of the next element, which must have this tag. */
export const read = (cursor: Cursor, tag: number, orElse: string): Buffer =>
  readElement(cursor, tag, orElse).content;

/** A cursor into the content of the next element, which must have this tag. */
export const enter = (cursor: Cursor, tag: number, orElse: string): Cursor =>
  startOf(read(cursor, tag, orElse));
