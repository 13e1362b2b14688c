/** Parses an address to 4 or 16 bytes; undefined for zones, leading zeros or other text (net.ParseIP). */
export function parseAddress(text: string): Buffer | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Buffer | undefined {
  const parts = text.split('.');
  const valid =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return valid ? Buffer.from(parts.map(Number)) : undefined;
}

/** The 16-bit groups of one side of `::`; the last side may end with an IPv4 address. */
function groupsOf(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const embedded = isLast && last.includes('.') ? parseIpv4(last) : undefined;
  const written = embedded === undefined ? parts : parts.slice(0, -1);
  if (!written.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined;
  const tail = embedded === undefined ? [] : [embedded.readUInt16BE(0), embedded.readUInt16BE(2)];
  return [...written.map((part) => Number.parseInt(part, 16)), ...tail];
}

function parseIpv6(text: string): Buffer | undefined {
  const [head = '', tail, more] = text.split('::');
  if (more !== undefined) return undefined;
  const before = groupsOf(head, tail === undefined);
  const after = groupsOf(tail ?? '', true);
  if (before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...before, ...Array<number>(missing).fill(0), ...after];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

const v4InV6 = Buffer.from('00000000000000000000ffff', 'hex');

/** The four bytes of an IPv4-mapped IPv6 address, otherwise the bytes unchanged. */
export const shortest = (bytes: Buffer): Buffer =>
  bytes.length === 16 && bytes.subarray(0, 12).equals(v4InV6) ? bytes.subarray(12) : bytes;

/** Formats an address as Go does (net.IP String): the longest run of two or more zero groups becomes `::`. */
export function addressText(bytes: Buffer): string {
  const address = shortest(bytes);
  if (address.length === 4) return [...address].join('.');
  const groups = Array.from({ length: 8 }, (_, at) => address.readUInt16BE(at * 2));
  let run = { from: -1, length: 1 };
  for (let from = 0; from < 8; from += 1) {
    const end = groups.findIndex((group, at) => at >= from && group !== 0);
    const length = (end < 0 ? 8 : end) - from;
    if (length > run.length) run = { from, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (run.from < 0) return hex.join(':');
  return `${hex.slice(0, run.from).join(':')}::${hex.slice(run.from + run.length).join(':')}`;
}

/** `10.0.0.0/8`: formats a network as Go does if its mask is a prefix (net.IPNet String). */
export function networkText({ address, mask }: Network): string {
  const ones = [...mask].reduce((sum, octet) => sum + octet.toString(2).replaceAll('0', '').length, 0);
  return `${addressText(address)}/${ones}`;
}

/** An address with a mask of the same length. */
export interface Network {
  readonly address: Buffer;
  readonly mask: Buffer;
}
