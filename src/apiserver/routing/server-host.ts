import { urlParts } from '../../basics/url.ts';
import { type Callout, isServiceBacked, isUrlBacked } from '../../facts/callout.ts';

/**
 * The name that the serving certificate of a callout must contain: `svc.namespace.svc`, or the host of a URL
 * without port and brackets (apiserver/pkg/util/webhook/client.go hookClientConfig). Undefined if the
 * configuration has neither.
 */
export function serverHost(callout: Callout): string | undefined {
  if (isServiceBacked(callout)) {
    const { name, namespace } = callout.client.service;
    return `${name}.${namespace}.svc`;
  }
  if (!isUrlBacked(callout)) return undefined;
  return urlParts(callout.client.url)
    ?.host.replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}
