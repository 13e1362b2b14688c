/** Bytes that Go's parser refuses. `message`: its words. */
export class Malformed extends Error {}

/** A place in DER bytes, moved on by what reads there, as far as `end`. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
}

/** One DER element: a cursor at its content. */
export interface Element extends Cursor {
  readonly tag: number;
  /** Where its tag stands. */
  readonly from: number;
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

export const startOf = (bytes: Buffer): Cursor => ({ bytes, at: 0, end: bytes.length });
export const atEnd = ({ at, end }: Cursor): boolean => at >= end;
export const isNext = ({ bytes, at, end }: Cursor, tag: number): boolean => at < end && bytes[at] === tag;

/** What is left to read: of an element, its content. */
export const contentOf = ({ bytes, at, end }: Cursor): Buffer => bytes.subarray(at, end);

/** An element with its tag and length. */
export const encodedElement = ({ bytes, from, end }: Element): Buffer => bytes.subarray(from, end);

/** A length of more than one byte; undefined for one that DER does not allow. */
function longLength(bytes: Buffer, at: number, count: number, end: number): number | undefined {
  if (count === 0 || count > 4 || at + count > end) return undefined;
  const length = bytes.readUIntBE(at, count);
  const shortest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8);
  return shortest === count ? length : undefined;
}

/** Undefined where no whole DER element stands: golang.org/x/crypto/cryptobyte readASN1. */
export function readAny(cursor: Cursor): Element | undefined {
  const { bytes, at: from, end } = cursor;
  if (from + 2 > end) return undefined;
  const tag = bytes[from] as number;
  const first = bytes[from + 1] as number;
  const more = first < 0x80 ? 0 : first & 0x7f;
  const length = first < 0x80 ? first : longLength(bytes, from + 2, more, end);
  if (length === undefined || (tag & 0x1f) === 0x1f) return undefined;
  const at = from + 2 + more;
  if (at + length > end) return undefined;
  cursor.at = at + length;
  return { tag, bytes, from, at, end: at + length };
}

/** The next element, which must have this tag; otherwise Malformed with these words. */
export function enter(cursor: Cursor, tag: number, orElse: string): Element {
  const element = readAny(cursor);
  if (element?.tag !== tag) throw new Malformed(orElse);
  return element;
}

/** The content of the next element, which must have this tag. */
export const read = (cursor: Cursor, tag: number, orElse: string): Buffer =>
  contentOf(enter(cursor, tag, orElse));
