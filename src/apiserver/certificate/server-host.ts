import { type Callout, isServiceBacked, isUrlBacked } from '../../facts/callout.ts';
import { urlParts } from '../../facts/url.ts';

/**
 * The name that a callout's server has to prove: `svc.namespace.svc`, or the host of a URL without port and brackets
 * (apiserver/pkg/util/webhook/client.go hookClientConfig). Undefined where the configuration names neither.
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
