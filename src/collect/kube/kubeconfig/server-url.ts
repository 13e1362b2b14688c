import { percentDecoded } from '../../../basics/url.ts';
import { ConnectionProblem } from './connection.ts';

/**
 * Parses the URL of the API server. Without a scheme it is http, as for kubectl. User information, query and
 * fragment are removed. Source: client-go/rest/url_utils.go, DefaultServerURL.
 */
export function parseServer(text: string): { url: URL; username: string; password: string } {
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '')
    throw new ConnectionProblem(
      `the server address ${withoutUserinfo(text)} is not an http or https URL`,
      'Write it as https://HOST:PORT in the kubeconfig or after --server.',
    );
  const [username, password] = [percentDecoded(url.username), percentDecoded(url.password)];
  url.username = url.password = url.search = url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return { url, username, password };
}

/** Formats a URL for output: without a trailing slash, without credentials. */
export function showUrl(url: URL): string {
  const { protocol, host, pathname } = url;
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

/** `URL.parse`, which Node 20 does not have. */
export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function withoutUserinfo(text: string): string {
  return text.replace(/\/\/[^/]*@/, '//');
}
