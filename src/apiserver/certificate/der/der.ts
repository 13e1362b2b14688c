/** Thrown for bytes that Go's parser rejects; `message` is Go's error. */
export class Malformed extends Error {}

/** A position in DER bytes, which read functions advance up to `end`. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
  readonly end: number;
}

/** One DER element: a cursor at the start of its content. */
export interface Element extends Cursor {
  readonly tag: number;
  /** Offset of its tag. */
  readonly from: number;
}

/** Identifier octets of the universal types in certificates (ITU-T X.680, X.690). */
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

/** The tag `[n]` of a primitive type, and of a constructed one. */
export const contextTag = (n: number): number => 0x80 | n;
/** The tag `[n]` of a constructed type. */
export const constructedTag = (n: number): number => 0xa0 | n;

/** A cursor at the first byte. */
export const startOf = (bytes: Buffer): Cursor => ({ bytes, at: 0, end: bytes.length });
/** True if no byte is left. */
export const atEnd = ({ at, end }: Cursor): boolean => at >= end;
/** True if the next element has this tag; reads nothing. */
export const isNext = ({ bytes, at, end }: Cursor, tag: number): boolean => at < end && bytes[at] === tag;

/** The bytes not read yet; for an element, its content. */
export const contentOf = ({ bytes, at, end }: Cursor): Buffer => bytes.subarray(at, end);

/** The bytes of an element, including tag and length. */
export const encodedElement = ({ bytes, from, end }: Element): Buffer => bytes.subarray(from, end);

/** Reads a length of more than one byte; undefined if DER does not allow it. */
function longLength(bytes: Buffer, at: number, count: number, end: number): number | undefined {
  if (count === 0 || count > 4 || at + count > end) return undefined;
  const length = bytes.readUIntBE(at, count);
  const shortest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8);
  return shortest === count ? length : undefined;
}

/** Reads a DER element; undefined if it is incomplete or invalid (x/crypto/cryptobyte readASN1). */
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

/** Reads the next element, which must have this tag; otherwise throws Malformed with the message `orElse`. */
export function enter(cursor: Cursor, tag: number, orElse: string): Element {
  const element = readAny(cursor);
  if (element?.tag !== tag) throw new Malformed(orElse);
  return element;
}

/** The content of the next element, which must have this tag. */
export const readDer = (cursor: Cursor, tag: number, orElse: string): Buffer =>
  contentOf(enter(cursor, tag, orElse));
