import { urlParts } from '../../apiserver/callout-url.ts';

/** Host of a URL without port and brackets, in lower case; undefined for what is no URL. */
export function urlHost(url: string): string | undefined {
  const host = urlParts(url)?.host;
  return host
    ?.replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}
