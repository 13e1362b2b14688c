import { addressText, parseAddress } from '../go/ip-address.ts';
import { goQuote } from '../go/quote.ts';
import { behaves } from '../server-version.ts';
import { evaluatingVersion } from './cost.ts';
import { type Overload, overload } from './overload.ts';
import { type CelCidr, CelError, type CelIp, NotEvaluable } from './value.ts';

/** Parses as Go's netip.ParseAddr does, without zones and without IPv4-mapped IPv6 addresses. */
function parseIp(text: string): CelIp | undefined {
  const address = parseAddress(text);
  const mapped =
    address?.length === 16 && address.readUIntBE(0, 6) === 0 && address.readUIntBE(6, 6) === 0xffff;
  return address === undefined || mapped ? undefined : { is: 'net.IP', address };
}

function parseCidr(text: string): CelCidr | undefined {
  const [, before = '', bits = ''] = /^(.*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = parseIp(before)?.address;
  if (address === undefined || Number(bits) > address.length * 8) return undefined;
  return { is: 'net.CIDR', address, bits: Number(bits) };
}

/** Go's error of netip.ParseAddr for an invalid IPv4. Throws {@link NotEvaluable} for what may be IPv6. */
function addressError(text: string): string {
  const because = (message: string, at = ''): string =>
    `ParseAddr(${goQuote(text)}): ${message}${at === '' ? '' : ` (at ${goQuote(at)})`}`;
  const separator = /[.:%]/.exec(text)?.[0];
  if (separator === undefined) return because('unable to parse IP');
  if (separator === '%') return because('missing IPv6 address');
  if (separator === ':') throw new NotEvaluable();
  let [field, fields] = ['', 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '.') {
      if (field === '' || at === text.length - 1)
        return because('IPv4 field must have at least one digit', text.slice(at));
      if (fields === 3) return because('IPv4 address too long');
      [field, fields] = ['', fields + 1];
    } else if (/\d/.test(character)) {
      if (field === '0') return because('IPv4 field has octet with leading zero');
      field += character;
      if (Number(field) > 255) return because('IPv4 field has value >255');
    } else return because('unexpected character', text.slice(at));
  }
  return because('IPv4 address too short');
}

function ipOf(text: string): CelIp {
  const found = parseIp(text);
  if (found !== undefined) return found;
  if (parseAddress(text) !== undefined)
    throw new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  throw new CelError(
    `IP Address ${goQuote(text)} parse error during conversion from string: ${addressError(text)}`,
  );
}

/** The error of Go's netip.ParsePrefix; throws {@link NotEvaluable} as {@link addressError} does. */
function prefixError(text: string): string {
  const [, before, bits = ''] = /^(.*)\/([^/]*)$/s.exec(text) ?? [];
  if (before === undefined) return "no '/'";
  const address = parseAddress(before);
  if (address === undefined) return addressError(before);
  if (parseIp(before) === undefined) throw new NotEvaluable();
  if (!/^(?:\d|[1-9]\d{1,17})$/.test(bits)) return `bad bits after slash: ${goQuote(bits)}`;
  return 'prefix length out of range';
}

function cidrOf(text: string): CelCidr {
  const found = parseCidr(text);
  if (found !== undefined) return found;
  const context = 'network address parse error during conversion from string: ';
  throw new CelError(`${context}${context}netip.ParsePrefix(${goQuote(text)}): ${prefixError(text)}`);
}

/** Sets all bits after the prefix to zero. */
const masked = (address: Buffer, bits: number): Buffer =>
  Buffer.from(address.map((octet, at) => octet & (0xff00 >> Math.min(8, Math.max(0, bits - at * 8)))));

const holds = (of: CelCidr, address: Buffer): boolean =>
  address.length === of.address.length && masked(address, of.bits).equals(masked(of.address, of.bits));

/** True if the network contains the address; false if either cannot be parsed. */
export function networkContains(network: string, address: string): boolean {
  const [cidr, ip] = [parseCidr(network), parseIp(address)];
  return cidr !== undefined && ip !== undefined && holds(cidr, ip.address);
}

/** Until 1.31, a network contains another only at the same network address (pkg/cel/library/cidr.go). */
const containsAll = (of: CelCidr, other: CelCidr): boolean =>
  of.bits <= other.bits &&
  holds(of, other.address) &&
  (behaves(evaluatingVersion(), 'network-in-network') || masked(of.address, of.bits).equals(other.address));

const isOne = (address: Buffer, last: number): boolean =>
  address.subarray(0, -1).every((octet) => octet === 0) && address.at(-1) === last;

const isLoopback = (of: Buffer): boolean => (of.length === 4 ? of[0] === 127 : isOne(of, 1));
const isUnspecified = (of: Buffer): boolean => isOne(of, 0);
const isMulticast = (of: Buffer): boolean => (of.length === 4 ? (of[0] ?? 0) >> 4 === 14 : of[0] === 0xff);
const isLinkLocalMulticast = (of: Buffer): boolean =>
  of.length === 4 ? of.readUIntBE(0, 3) === 0xe00000 : of[0] === 0xff && ((of[1] ?? 0) & 0x0f) === 2;
const isLinkLocalUnicast = (of: Buffer): boolean =>
  of.length === 4 ? of.readUInt16BE(0) === 0xa9fe : (of.readUInt16BE(0) & 0xffc0) === 0xfe80;
const isGlobalUnicast = (of: Buffer): boolean =>
  !(isUnspecified(of) || isLoopback(of) || isMulticast(of) || isLinkLocalUnicast(of)) &&
  !(of.length === 4 && of.readUInt32BE(0) === 0xffffffff);

const ip = 'net.IP';
const cidr = 'net.CIDR';
const addressPredicate = (name: string, holdsOf: (address: Buffer) => boolean): Overload =>
  overload(name, [ip], ({ address }: CelIp) => holdsOf(address));

/** Global functions for addresses and networks (apiserver pkg/cel/library/{ip,cidr}.go). */
export const networkFunctions: readonly Overload[] = [
  overload('ip', ['string'], ipOf),
  overload('isIP', ['string'], (text: string) => parseIp(text) !== undefined),
  overload('cidr', ['string'], cidrOf),
  overload('isCIDR', ['string'], (text: string) => parseCidr(text) !== undefined),
  overload('string', [ip], ({ address }: CelIp) => addressText(address)),
  overload('string', [cidr], ({ address, bits }: CelCidr) => `${addressText(address)}/${bits}`),
];

/** Functions of the namespace `ip`. */
export const namespacedNetworkFunctions: readonly Overload[] = [
  overload('ip.isCanonical', ['string'], (text: string) => addressText(ipOf(text).address) === text),
];

/** Methods of addresses and networks. */
export const networkMethods: readonly Overload[] = [
  overload('family', [ip], ({ address }: CelIp) => (address.length === 4 ? 4n : 6n)),
  addressPredicate('isUnspecified', isUnspecified),
  addressPredicate('isLoopback', isLoopback),
  addressPredicate('isLinkLocalMulticast', isLinkLocalMulticast),
  addressPredicate('isLinkLocalUnicast', isLinkLocalUnicast),
  addressPredicate('isGlobalUnicast', isGlobalUnicast),
  overload('containsIP', [cidr, ip], (of: CelCidr, { address }: CelIp) => holds(of, address)),
  overload('containsIP', [cidr, 'string'], (of: CelCidr, text: string) => {
    const address = parseIp(text)?.address;
    if (address === undefined) throw new CelError('no such overload');
    return holds(of, address);
  }),
  overload('containsCIDR', [cidr, cidr], containsAll),
  overload('containsCIDR', [cidr, 'string'], (of: CelCidr, text: string) => containsAll(of, cidrOf(text))),
  overload('ip', [cidr], ({ address }: CelCidr) => ({ is: ip, address })),
  overload('masked', [cidr], ({ address, bits }: CelCidr) => ({
    is: cidr,
    address: masked(address, bits),
    bits,
  })),
  overload('prefixLength', [cidr], ({ bits }: CelCidr) => BigInt(bits)),
];
