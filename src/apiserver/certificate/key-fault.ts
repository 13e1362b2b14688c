import type { Certificate } from './certificate.ts';
import { weakRsaKey } from './check-signature.ts';
import type { CertificateFault } from './fault.ts';
import type { GoRules } from './go-rules.ts';
import { goType } from './public-key.ts';

/** What the handshake says about the key of a certificate that was accepted. */
export function keyFault(leaf: Certificate, rules: GoRules): CertificateFault | undefined {
  const { publicKey } = leaf;
  if (publicKey === undefined || publicKey.kind === 'dsa' || publicKey.kind === 'x25519') {
    const type = publicKey === undefined ? '<nil>' : goType[publicKey.kind];
    const text = `tls: server's certificate contains an unsupported type of public key: ${type}`;
    return { kind: 'unsupported-key', certificate: leaf, text };
  }
  const weak = weakRsaKey(publicKey, rules);
  if (weak === undefined) return undefined;
  return {
    kind: 'weak-key',
    certificate: leaf,
    text: `tls: invalid signature by the server certificate: ${weak}`,
  };
}
