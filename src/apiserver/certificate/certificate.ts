import type { Network } from '../go/ip-address.ts';
import type { CertificateUri } from '../go/url.ts';
import type { Moment } from './der/time.ts';
import type { BitString } from './der/values.ts';
import type { DistinguishedName } from './parse/distinguished-name.ts';
import type { PublicKey } from './parse/public-key.ts';
import type { SignatureAlgorithm } from './parse/signature-algorithm.ts';

/** Names of one kind in the subtrees of a name constraint. */
export interface Subtrees {
  readonly dns: readonly string[];
  readonly addresses: readonly Network[];
  readonly emails: readonly string[];
  /** Domains of URIs. */
  readonly uris: readonly string[];
}

/** The extension nameConstraints (RFC 5280, 4.2.1.10). */
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
}

/** An encoded entry of subjectAltName. `type`: 1 e-mail, 2 DNS, 6 URI, 7 address; others are not parsed. */
export interface AlternativeName {
  readonly type: number;
  readonly bytes: Buffer;
}

/** The extensions of a certificate. */
export interface Extensions {
  /** Absent: any usage. */
  readonly keyUsage?: BitString;
  /** Absent in version 3: not a CA. */
  readonly basicConstraints?: { readonly isCa: boolean; readonly maxPathLength: number | undefined };
  /** subjectAltName; `[]` if it has no names, undefined if it is absent. */
  readonly alternativeNames?: readonly AlternativeName[];
  /** The complete value of subjectAltName. */
  readonly alternativeNamesValue?: Buffer;
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly CertificateUri[];
  /** Four or sixteen bytes each. */
  readonly addresses: readonly Buffer[];
  readonly nameConstraints?: NameConstraints;
  /** Object identifiers; absent or empty: any usage. */
  readonly extendedKeyUsages: readonly string[];
  readonly subjectKeyId?: Buffer;
  readonly authorityKeyId?: Buffer;
  /** Object identifiers of certificatePolicies. */
  readonly policies: readonly string[];
  readonly policyMappings: readonly { readonly issuer: string; readonly subject: string }[];
  readonly requireExplicitPolicy?: number;
  readonly inhibitPolicyMapping?: number;
  readonly inhibitAnyPolicy?: number;
  /** Critical extensions that Go does not support. */
  readonly unhandledCritical: readonly string[];
}

/** A certificate as Go's crypto/x509 parses it. */
export interface Certificate extends Extensions {
  /** DER. */
  readonly raw: Buffer;
  /** The signed bytes (TBSCertificate). */
  readonly signed: Buffer;
  readonly signature: Buffer;
  /** Undefined if Go does not support the algorithm. */
  readonly signatureAlgorithm: SignatureAlgorithm | undefined;
  readonly version: number;
  readonly serial: bigint;
  readonly subject: DistinguishedName;
  readonly issuer: DistinguishedName;
  /** DER, compared byte for byte. */
  readonly rawSubject: Buffer;
  readonly rawIssuer: Buffer;
  readonly notBefore: Moment;
  readonly notAfter: Moment;
  /** SubjectPublicKeyInfo in DER. */
  readonly rawPublicKey: Buffer;
  readonly publicKey: PublicKey | undefined;
}

/** True for a certificate whose subject is its issuer, as of a root CA. The signature is not verified. */
export const isSelfIssued = ({
  rawSubject,
  rawIssuer,
}: Pick<Certificate, 'rawSubject' | 'rawIssuer'>): boolean => rawSubject.equals(rawIssuer);
