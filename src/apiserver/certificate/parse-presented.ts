import type { Certificate } from './certificate.ts';
import type { CertificateFault } from './fault.ts';
import type { GoRules } from './go-rules.ts';
import { isRefusedCertificate, parseCertificate } from './parse-certificate.ts';

/** Bits of an RSA key that Go's TLS still takes. */
const longestRsaKey = 8192;

/** What a server presented, parsed. */
export interface ParsedPresented {
  /** The server's own; undefined where that one does not parse. */
  readonly leaf: Certificate | undefined;
  readonly others: readonly Certificate[];
  readonly faults: readonly CertificateFault[];
}

/** Every certificate presented must parse, needed or not (crypto/tls verifyServerCertificate). */
export function parsePresented(presented: readonly Uint8Array[], rules: GoRules): ParsedPresented {
  if (presented.length === 0) {
    const fault: CertificateFault = {
      kind: 'no-certificate',
      text: 'tls: received empty certificates message',
    };
    return { leaf: undefined, others: [], faults: [fault] };
  }
  const all = presented.map((der) => parseCertificate(der, rules));
  const faults = all.flatMap((found): CertificateFault[] => {
    if (isRefusedCertificate(found)) {
      return [{ kind: 'malformed', text: `tls: failed to parse certificate from server: ${found.refused}` }];
    }
    if (found.publicKey?.kind !== 'rsa' || found.publicKey.bits <= longestRsaKey) return [];
    const text = `tls: server sent certificate containing RSA key larger than ${longestRsaKey} bits`;
    return [{ kind: 'oversized-key', certificate: found, text }];
  });
  const [leaf, ...others] = all.map((found) => (isRefusedCertificate(found) ? undefined : found));
  return { leaf, others: others.filter((found) => found !== undefined), faults };
}
