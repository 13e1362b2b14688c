import { BlockList, isIP } from 'node:net';

/**
 * Whether Go sends a request for this host through the proxy of its environment, by the value of NO_PROXY
 * (golang.org/x/net/http/httpproxy). Addresses without brackets, names in lower case.
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
  return host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** One entry of NO_PROXY: CIDR, address, `.domain`, `*.domain` (below it only) or `domain` (itself too), each `:port`. */
function matches(entry: string, host: string, port: string): boolean {
  const [, base = '', prefix] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  if (isIP(base)) return inNetwork(base, Number(prefix), host);
  const [, bracketed, plain, entryPort] = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  const name = isIP(entry) ? entry : (bracketed ?? plain ?? '');
  if (name === '' || (entryPort !== undefined && entryPort !== port)) return false;
  if (isIP(name)) return isIP(host) === isIP(name) && inNetwork(name, isIP(name) === 6 ? 128 : 32, host);
  if (isIP(host)) return false;
  const below = name.startsWith('*.') ? name.slice(1) : name;
  return below.startsWith('.') ? host.endsWith(below) : host === below || host.endsWith(`.${below}`);
}

function inNetwork(base: string, prefix: number, host: string): boolean {
  const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(host) !== isIP(base) || prefix > (family === 'ipv6' ? 128 : 32)) return false;
  const network = new BlockList();
  network.addSubnet(base, prefix, family);
  return network.check(host, family);
}
