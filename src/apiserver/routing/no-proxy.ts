import { parseAddress } from '../go/ip-address.ts';

/**
 * True if Go sends a request for this host through the proxy of its environment, by the value of NO_PROXY
 * (golang.org/x/net/http/httpproxy). Addresses have no brackets, names are in lower case.
 */
export function wantsProxy(host: string, port: string, noProxy: string): boolean {
  if (host === 'localhost' || isLoopback(host)) return false;
  const entries = noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  return !entries.some((entry) => entry === '*' || matches(entry, host, port));
}

function isLoopback(host: string): boolean {
  return host === '::1' || parseAddress(host)?.[0] === 127;
}

/** An entry of NO_PROXY: CIDR, address, `.domain`, `*.domain` (below it) or `domain` (it too), `:port`. */
function matches(entry: string, host: string, port: string): boolean {
  const address = parseAddress(host);
  const [, base = '', prefix] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  const network = parseAddress(base);
  if (network !== undefined) return inNetwork(network, Number(prefix), address);
  const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  const name = parseAddress(entry) ? entry : (bracketed ?? plain ?? '');
  if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
  const own = parseAddress(name);
  if (own !== undefined) return inNetwork(own, own.length * 8, address);
  if (address !== undefined) return false;
  const below = name.startsWith('*.') ? name.slice(1) : name;
  return below.startsWith('.') ? host.endsWith(below) : host === below || host.endsWith(`.${below}`);
}

const bitsOf = (bytes: Buffer): string =>
  [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');

const inNetwork = (network: Buffer, prefix: number, address: Buffer | undefined): boolean =>
  address?.length === network.length &&
  prefix <= network.length * 8 &&
  bitsOf(address).startsWith(bitsOf(network).slice(0, prefix));
