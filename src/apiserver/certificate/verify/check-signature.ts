import { constants, createPublicKey, verify } from 'node:crypto';
import { remembered } from '../../../basics/derive.ts';
import type { Certificate } from '../certificate.ts';
import { bitAt } from '../der/values.ts';
import type { GoRules } from '../go-rules.ts';
import { goType, type PublicKey } from '../parse/public-key.ts';
import type { SignatureAlgorithm } from '../parse/signature-algorithm.ts';

/** Why the signature of a certificate is not valid for the issuer's key. */
export interface BadSignature {
  readonly kind:
    | 'issuer-cannot-sign'
    | 'issuer-key-differs'
    | 'weak-signature'
    | 'weak-key'
    | 'unknown-algorithm';
  /** Go's error. */
  readonly text: string;
}

const keyCertSign = 5;
const cannotSign: BadSignature = {
  kind: 'issuer-cannot-sign',
  text: 'x509: invalid signature: parent certificate cannot sign this kind of certificate',
};
const unknownAlgorithm: BadSignature = {
  kind: 'unknown-algorithm',
  text: 'x509: cannot verify signature: algorithm unimplemented',
};

const failure = { RSA: 'crypto/rsa: verification error', ECDSA: 'x509: ECDSA verification failure' } as const;

const keyKinds: Readonly<Record<SignatureAlgorithm['key'], PublicKey['kind']>> = {
  RSA: 'rsa',
  DSA: 'dsa',
  ECDSA: 'ecdsa',
  Ed25519: 'ed25519',
};

/** Why Go rejects an RSA key (crypto/rsa checkKeySize, checkPublicKey). */
export function weakRsaKey(key: PublicKey | undefined, rules: GoRules): string | undefined {
  if (key?.kind !== 'rsa' || rules.smallRsaKeys) return undefined;
  const { bits, modulus, exponent } = key;
  if (bits < 1024) {
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  if (modulus % 2n === 0n) return 'crypto/rsa: public modulus is even';
  if (exponent < 2n) return 'crypto/rsa: public exponent too small or negative';
  if (exponent % 2n === 0n) return 'crypto/rsa: public exponent is even';
  return exponent >= 1n << 31n ? 'crypto/rsa: public exponent too large' : undefined;
}

const publicKeyOf = remembered(({ rawPublicKey }: Certificate) =>
  createPublicKey({ key: rawPublicKey, format: 'der', type: 'spki' }),
);

function verifySignature(
  certificate: Certificate,
  { hash, pss }: SignatureAlgorithm,
  issuer: Certificate,
): boolean {
  try {
    const key = publicKeyOf(issuer);
    const padding = pss ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
    const how =
      issuer.publicKey?.kind === 'rsa'
        ? { key, padding, ...(pss && { saltLength: constants.RSA_PSS_SALTLEN_DIGEST }) }
        : key;
    return verify(hash, certificate.signed, how, certificate.signature);
  } catch {
    // OpenSSL rejects the key or the signature.
    return false;
  }
}

/** Caches the result: a chain is verified once for each fault, but its signatures do not change. */
const isSignedBy = remembered(verifySignature);

function insecure({ name, hash }: SignatureAlgorithm, rules: GoRules): BadSignature | undefined {
  if (hash !== 'md5' && (hash !== 'sha1' || rules.sha1)) return undefined;
  const overridable = rules.sha1Override && (name === 'SHA1-RSA' || name === 'ECDSA-SHA1');
  const override = overridable ? ' (temporarily override with GODEBUG=x509sha1=1)' : '';
  return {
    kind: 'weak-signature',
    text: `x509: cannot verify signature: insecure algorithm ${name}${override}`,
  };
}

function check(
  certificate: Certificate,
  algorithm: SignatureAlgorithm | undefined,
  issuer: Certificate,
  rules: GoRules,
): BadSignature | undefined {
  const key = issuer.publicKey;
  if (algorithm === undefined || key === undefined) return unknownAlgorithm;
  const bad = insecure(algorithm, rules);
  if (bad !== undefined) return bad;
  if (key.kind === 'dsa' || key.kind === 'x25519') return unknownAlgorithm;
  if (keyKinds[algorithm.key] !== key.kind) {
    const expected = `x509: signature algorithm specifies an ${algorithm.key} public key`;
    return {
      kind: 'issuer-key-differs',
      text: `${expected}, but have public key of type ${goType[key.kind]}`,
    };
  }
  const weak = weakRsaKey(key, rules);
  if (weak !== undefined) return { kind: 'weak-key', text: weak };
  if (isSignedBy(certificate, algorithm, issuer)) return undefined;
  const text =
    algorithm.key === 'RSA' || algorithm.key === 'ECDSA'
      ? failure[algorithm.key]
      : 'x509: Ed25519 verification failure';
  return { kind: 'issuer-key-differs', text };
}

/**
 * Verifies a certificate's signature. Undefined if `issuer` may sign certificates and signed this one
 * (crypto/x509 CheckSignatureFrom).
 */
export function checkSignature(
  certificate: Certificate,
  issuer: Certificate,
  rules: GoRules,
): BadSignature | undefined {
  const { basicConstraints, keyUsage, version } = issuer;
  if (basicConstraints === undefined ? version === 3 : !basicConstraints.isCa) return cannotSign;
  const bits = keyUsage === undefined ? [] : Array.from({ length: 9 }, (_, at) => bitAt(keyUsage, at));
  if (bits.includes(true) && !bits[keyCertSign]) return cannotSign;
  return check(certificate, certificate.signatureAlgorithm, issuer, rules);
}
