import { urlParts } from '../../apiserver/routing/callout-url.ts';

/** Host of a URL without port and brackets, in lower case; undefined for what is no URL. */
export function urlHost(url: string): string | undefined {
  const host = urlParts(url)?.host;
  return host
    ?.replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

/** The host itself: whoever dials it, the API server for one, means its own. */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|::1)$/.test(host);

/** Port of an https URL; undefined for what is no URL. */
export function urlPort(url: string): number | undefined {
  const host = urlParts(url)?.host;
  return host === undefined ? undefined : Number(/:(\d+)$/.exec(host)?.[1] ?? 443);
}
