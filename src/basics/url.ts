/** Scheme, host as written (with its port, if any) and path of a URL; no query, no fragment, no user. */
export interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
}

/** Parses a URL; undefined if it is not absolute. Does not lower-case the host, like Go in its errors. */
export function urlParts(url: string): UrlParts | undefined {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:[^/?#@]*@)?([^/?#]+)([^?#]*)/.exec(url);
  if (match === null) return undefined;
  const [, scheme = '', host = '', path = ''] = match;
  return { scheme: scheme.toLowerCase(), host, path };
}

/** Decodes %-escapes; a text with an invalid escape is returned unchanged. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Host of a URL without port and brackets, in lower case; undefined if it is not a URL. */
export function urlHost(url: string): string | undefined {
  const host = urlParts(url)?.host;
  return host
    ?.replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

/** True for loopback: each client, such as the API server, connects to its own machine. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|::1)$/.test(host);

/** Port of an https URL; undefined if it is not a URL. */
export function urlPort(url: string): number | undefined {
  const host = urlParts(url)?.host;
  return host === undefined ? undefined : Number(/:(\d+)$/.exec(host)?.[1] ?? 443);
}
