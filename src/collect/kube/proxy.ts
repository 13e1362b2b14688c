import { wantsProxy } from '../../apiserver/routing/no-proxy.ts';
import { ConnectionProblem } from './connection.ts';
import type { Environment } from './kube-flags.ts';
import { parseUrl } from './server-url.ts';

const defaultPort: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Parses `proxy-url` of a cluster: it applies to every address, including loopback. */
export function parseProxyUrl(text: string, cluster: string): URL {
  const url = parseUrl(text);
  if (url && /^(http|https|socks5):$/.test(url.protocol) && url.hostname !== '') return url;
  throw new ConnectionProblem(
    `proxy-url of cluster "${cluster}" is not an http, https or socks5 URL`,
    'Correct proxy-url in the kubeconfig.',
  );
}

/**
 * Returns the proxy for `server` from the environment; undefined: none. It never applies to localhost and
 * loopback addresses. An address that cannot be parsed counts as none. Source:
 * golang.org/x/net/http/httpproxy.
 */
export function proxyFromEnvironment(server: URL, env: Environment): URL | undefined {
  const setting =
    server.protocol === 'https:'
      ? env.HTTPS_PROXY || env.https_proxy
      : env.REQUEST_METHOD // In a CGI program HTTP_PROXY comes from the request.
        ? undefined
        : env.HTTP_PROXY || env.http_proxy;
  if (!setting || !isProxied(server, env.NO_PROXY || env.no_proxy || '')) return undefined;
  const url = parseUrl(/^[a-z0-9+.-]+:\/\//i.test(setting) ? setting : `http://${setting}`);
  return url && /^(http|https|socks5h?):$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

const isProxied = ({ hostname, port, protocol }: URL, noProxy: string): boolean =>
  wantsProxy(hostname.replace(/^\[|\]$/g, '').toLowerCase(), port || defaultPort[protocol] || '', noProxy);
