import { BlockList, isIP } from 'node:net';
import { ConnectionProblem } from './connection.ts';
import type { Environment } from './kube-flags.ts';
import { parseUrl } from './server-url.ts';

const defaultPort: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** `proxy-url` of a cluster: used for every address, loopback included. */
export function parseProxyUrl(text: string, cluster: string): URL {
  const url = parseUrl(text);
  if (url && /^(http|https|socks5):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new ConnectionProblem(
    `proxy-url of cluster "${cluster}" is not an http, https or socks5 URL`,
    'Correct proxy-url in the kubeconfig.',
  );
}

/**
 * The proxy that the environment wants for `server`; undefined: none. Never one for localhost and loopback addresses. An
 * address that cannot be parsed counts as none. Source: golang.org/x/net/http/httpproxy.
 */
export function proxyFromEnvironment(server: URL, env: Environment): URL | undefined {
  const setting =
    server.protocol === 'https:'
      ? env.HTTPS_PROXY || env.https_proxy
      : env.REQUEST_METHOD // In a CGI program HTTP_PROXY comes from the request.
        ? undefined
        : env.HTTP_PROXY || env.http_proxy;
  if (!setting || !wantsProxy(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  const url = parseUrl(/^[a-z0-9+.-]+:\/\//i.test(setting) ? setting : `http://${setting}`);
  return url && /^(http|https|socks5h?):$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

function wantsProxy(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = server.port || defaultPort[server.protocol] || '';
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
