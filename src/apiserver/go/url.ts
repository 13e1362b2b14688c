import { parseAddress } from './ip-address.ts';
import { goQuote } from './quote.ts';

/** A URI of a certificate. */
export interface CertificateUri {
  /** Host and port as written; empty if absent. */
  readonly host: string;
  readonly text: string;
}

/** Go's error: `parse "u": first path segment in URL cannot contain colon`. */
export interface RefusedUri {
  readonly refused: string;
}

const badEscape = /%(?![0-9A-Fa-f]{2})(.{0,2})/s;
const escapeProblem = (text: string): string | undefined => {
  const bad = badEscape.exec(text);
  return bad === null ? undefined : `invalid URL escape ${goQuote(`%${bad[1] ?? ''}`)}`;
};

function bracketProblem(host: string): string | undefined {
  const close = host.lastIndexOf(']');
  if (close < 0) return "missing ']' in host";
  const port = host.slice(close + 1);
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  const address = host.slice(1, close).replace(/%25.+$/, '');
  return address.includes(':') && parseAddress(address) !== undefined ? undefined : 'invalid IP-literal';
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) return bracketProblem(host);
  if (host.includes('[')) return 'invalid IP-literal';
  const port = /:[^:]*$/.exec(host)?.[0] ?? '';
  if (!/^(:\d*)?$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  const asciiEscape = /%(?:[0-7][0-9A-Fa-f])/.exec(host)?.[0];
  if (escapeProblem(host) !== undefined) return escapeProblem(host);
  if (asciiEscape !== undefined) return `invalid URL escape ${goQuote(asciiEscape)}`;
  const strange = /[ "<>\\^`{|}]/.exec(host)?.[0];
  return strange === undefined ? undefined : `invalid character ${goQuote(strange)} in host name`;
}

function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const problem = hostProblem(authority.slice(at + 1));
  if (problem !== undefined || at < 0) return problem;
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) return 'net/url: invalid userinfo';
  return escapeProblem(user);
}

/** Scheme in lower case, and the text after the colon. */
function schemeOf(text: string): { readonly scheme: string; readonly rest: string } {
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text);
  const scheme = match?.[1] ?? '';
  return { scheme: scheme.toLowerCase(), rest: text.slice(match?.[0].length ?? 0) };
}

/** Parses a URI as Go does (net/url Parse), as far as the host and errors require. */
export function parseUri(text: string): CertificateUri | RefusedUri {
  const [url = ''] = text.split('#');
  const refuse = (why: string, of = url): RefusedUri => ({ refused: `parse ${goQuote(of)}: ${why}` });
  if (/[\0-\x1f\x7f]/.test(url)) return refuse('net/url: invalid control character in URL');
  if (url.startsWith(':')) return refuse('missing protocol scheme');
  const { scheme, rest } = schemeOf(url);
  const [hierarchy = ''] = rest.split('?');
  // Go prints the scheme in lower case.
  const withScheme = scheme === '' ? text : `${scheme}:${text.slice(scheme.length + 1)}`;
  if (!hierarchy.startsWith('/')) {
    if (scheme !== '') return { host: '', text: withScheme };
    const colon = hierarchy.split('/')[0]?.includes(':') === true;
    if (colon) return refuse('first path segment in URL cannot contain colon');
  }
  const authority =
    scheme !== '' || !hierarchy.startsWith('///') ? /^\/\/([^/]*)/.exec(hierarchy)?.[1] : undefined;
  const problem = authority === undefined ? undefined : authorityProblem(authority);
  if (problem !== undefined) return refuse(problem);
  const path = authority === undefined ? hierarchy : hierarchy.slice(2 + authority.length);
  const fragment = text.slice(url.length + 1);
  if (escapeProblem(path) !== undefined) return refuse(escapeProblem(path) ?? '');
  if (escapeProblem(fragment) !== undefined) return refuse(escapeProblem(fragment) ?? '', text);
  return { host: authority?.slice(authority.lastIndexOf('@') + 1) ?? '', text: withScheme };
}
