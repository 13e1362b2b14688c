import { percentDecoded, urlParts } from '../../basics/url.ts';
import { type Callout, isUrlBacked } from '../../facts/callout.ts';
import { effectivePath } from './effective-path.ts';

/** Characters that Go's net/url does not escape in a path (url.go shouldEscape, encodePath). */
const unescaped = /[A-Za-z0-9\-_.~$&+,/:;=@]/;

/** Go's url.EscapedPath for a decoded path. */
function escapePath(path: string): string {
  let escaped = '';
  for (const byte of new TextEncoder().encode(path)) {
    const character = String.fromCharCode(byte);
    escaped += unescaped.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

/**
 * The URL in the API server's errors, without its `?timeout=`. For a Service it is
 * `https://<name>.<namespace>.svc:<port>/<path>` in every routing mode (apiserver/pkg/util/webhook/client.go
 * hookClientConfig). Undefined if the configuration has neither a Service nor a valid URL.
 */
export function calloutUrl(callout: Callout): string | undefined {
  const { service } = callout.client;
  if (service !== undefined) {
    const host = `${service.name}.${service.namespace}.svc:${service.port}`;
    return `https://${host}${escapePath(effectivePath(service.path))}`;
  }
  const parts = isUrlBacked(callout) ? urlParts(callout.client.url) : undefined;
  if (parts === undefined) return undefined;
  return `${parts.scheme}://${parts.host}${escapePath(effectivePath(percentDecoded(parts.path)))}`;
}
