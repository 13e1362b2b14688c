import { remembered } from '../../facts/derive.ts';
import type { Certificate } from './certificate.ts';
import { goRules } from './go-rules.ts';
import { isRefusedCertificate, parseCertificate } from './parse-certificate.ts';
import { readPem } from './pem.ts';

/** What became of a `caBundle` when the API server built its client from it. */
export type CaBundle =
  /** Nothing configured: the API server's own system roots decide. */
  | { readonly kind: 'system-roots' }
  /** Those that became trust anchors; blocks that could not be read are passed over silently. */
  | { readonly kind: 'loaded'; readonly certificates: readonly Certificate[] }
  /** Not one certificate could be read. `text`: the API server's words after `could not get REST client: `. */
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
  const why =
    refused !== undefined
      ? `failed to parse certificate: ${refused.refused}`
      : complete
        ? 'no valid certificate authority data seen'
        : 'unable to parse bytes as PEM block';
  return { kind: 'refused', text: `unable to load root certificates: ${why}` };
}

const loadBase64 = remembered((caBundle: string, version: string | undefined) =>
  load(Buffer.from(caBundle, 'base64').toString('latin1'), version),
);

/**
 * Loads a `caBundle` as client-go/transport/transport.go rootCertPool does: text around PEM blocks, blocks of another
 * type and blocks that do not parse are ignored; one certificate is enough. Many callouts share one bundle, and several
 * checks ask for it: what was loaded is remembered by its content.
 *
 * @param caBundle base64 as in the object, or its bytes.
 * @param version the API server's: it decides what parses.
 */
export function loadCaBundle(caBundle: string | Uint8Array | undefined, version?: string): CaBundle {
  if (typeof caBundle !== 'string') return load(Buffer.from(caBundle ?? []).toString('latin1'), version);
  return loadBase64(caBundle, version);
}
