import type { OutgoingHttpHeaders } from 'node:http';
import type { Query } from '../../cluster.ts';
import type { Credential } from '../credentials/credential.ts';
import type { Connection } from '../kubeconfig/connection.ts';
import { proxyAuthorization } from './tunnel.ts';

/** The headers of every request; requests with a body add their own. */
export function headersOf(
  { server, gzip, impersonation, proxy }: Connection,
  { authorization }: Credential,
  accept: string,
  userAgent: string,
): OutgoingHttpHeaders {
  const viaProxy = proxy && isForwarded(server, proxy) ? proxyAuthorization(proxy) : undefined;
  return {
    host: server.host,
    accept,
    'user-agent': userAgent,
    ...(gzip ? { 'accept-encoding': 'gzip' } : {}),
    ...(authorization ? { authorization } : {}),
    ...(viaProxy ? { 'proxy-authorization': viaProxy } : {}),
    ...(impersonation as Record<string, string | string[]>),
  };
}

/** Plain http requests are sent to an http proxy with their absolute URL; all others use a tunnel. */
function isForwarded(server: URL, proxy: URL): boolean {
  return server.protocol === 'http:' && proxy.protocol === 'http:';
}

/** The address and the request target: for an http proxy, the absolute URL. `path` begins with a slash. */
export function addressed(
  { server, proxy }: Connection,
  path: string,
): { url: URL; target: string | undefined } {
  const prefix = server.pathname === '/' ? '' : server.pathname;
  if (proxy && isForwarded(server, proxy)) return { url: proxy, target: `${server.origin}${prefix}${path}` };
  return { url: server, target: `${prefix}${path}` };
}

/** `?a=b`, escaped; empty without parameters. */
export function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
