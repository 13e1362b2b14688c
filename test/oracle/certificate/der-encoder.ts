/** Writes DER without validation: for certificates that no library would create. */
export function tlv(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const hex = body.length.toString(16);
  const length = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => tlv(0x30, ...content);
export const setOf = (...content: readonly Uint8Array[]): Buffer => tlv(0x31, ...content);
export const octets = (content: Uint8Array): Buffer => tlv(0x04, content);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const nothing = Buffer.from('0500', 'hex');
export const bits = (content: Uint8Array, padding = 0): Buffer => tlv(0x03, Buffer.from([padding]), content);
export const text = (value: string, tag = 0x0c): Buffer => tlv(tag, Buffer.from(value, 'utf8'));

export function integer(value: bigint | number, tag = 0x02): Buffer {
  const wanted = BigInt(value);
  let size = 1;
  while (BigInt.asIntN(size * 8, wanted) !== wanted) size += 1;
  return tlv(
    tag,
    Buffer.from(
      BigInt.asUintN(size * 8, wanted)
        .toString(16)
        .padStart(size * 2, '0'),
      'hex',
    ),
  );
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

/** UTCTime up to 2049, then GeneralizedTime. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const short = date.getUTCFullYear() >= 1950 && date.getUTCFullYear() < 2050;
  return tlv(short ? 0x17 : 0x18, Buffer.from(short ? digits.slice(2) : digits));
}
