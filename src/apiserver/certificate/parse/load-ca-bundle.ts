import { remembered } from '../../../basics/derive.ts';
import type { Certificate } from '../certificate.ts';
import { goRules } from '../go-rules.ts';
import { isRefusedCertificate, parseCertificate } from './parse-certificate.ts';
import { readPem } from './pem.ts';

/** The result of loading a `caBundle` into the API server's client. */
export type CaBundle =
  /** No caBundle is configured: the API server uses its system roots. */
  | { readonly kind: 'system-roots' }
  /** The certificates that are trust anchors; invalid blocks are silently ignored. */
  | { readonly kind: 'loaded'; readonly certificates: readonly Certificate[] }
  /** No certificate could be parsed. `text`: the API server's error after `could not get REST client: `. */
  | { readonly kind: 'refused'; readonly text: string };

function load(text: string, version: string | undefined): CaBundle {
  if (text === '') return { kind: 'system-roots' };
  const rules = goRules(version);
  const { blocks, complete } = readPem(text, rules.pemEndsEarly);
  const parsed = blocks
    .filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders)
    .map(({ bytes }) => parseCertificate(bytes, rules));
  const certificates = parsed.filter((found): found is Certificate => !isRefusedCertificate(found));
  if (certificates.length > 0) return { kind: 'loaded', certificates };
  const refused = parsed.find(isRefusedCertificate);
  const nothing = complete
    ? 'no valid certificate authority data seen'
    : 'unable to parse bytes as PEM block';
  const why = refused === undefined ? nothing : `failed to parse certificate: ${refused.refused}`;
  return { kind: 'refused', text: `unable to load root certificates: ${why}` };
}

const loadBase64 = remembered((caBundle: string, version: string | undefined) =>
  load(Buffer.from(caBundle, 'base64').toString('latin1'), version),
);

/**
 * Loads a `caBundle` as client-go/transport/transport.go rootCertPool does: it ignores text around PEM
 * blocks, blocks of another type and blocks that cannot be parsed; one certificate is enough. Cached by
 * content, because many callouts have the same bundle and several checks load it.
 *
 * @param caBundle base64 as in the object, or its bytes.
 * @param version the API server's: it determines which certificates can be parsed.
 */
export function loadCaBundle(caBundle: string | Uint8Array | undefined, version?: string): CaBundle {
  if (typeof caBundle !== 'string') return load(Buffer.from(caBundle ?? []).toString('latin1'), version);
  return loadBase64(caBundle, version);
}
