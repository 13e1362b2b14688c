import type { Moment } from './der-time.ts';
import type { BitString } from './der-values.ts';
import type { DistinguishedName } from './distinguished-name.ts';
import type { CertificateUri } from './go-url.ts';
import type { Network } from './ip-address.ts';
import type { PublicKey } from './public-key.ts';
import type { SignatureAlgorithm } from './signature-algorithm.ts';

/** Names of one kind of subtree of a name constraint. */
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

/** An entry of subjectAltName as it stands there. `type`: 1 e-mail, 2 DNS, 6 URI, 7 address, others unread. */
export interface AlternativeName {
  readonly type: number;
  readonly bytes: Buffer;
}

/** What the extensions of a certificate say; what an absent one means stands beside it. */
export interface Extensions {
  /** Absent: any usage. */
  readonly keyUsage?: BitString;
  /** Absent in version 3: no authority. */
  readonly basicConstraints?: { readonly isCa: boolean; readonly maxPathLength: number | undefined };
  /** subjectAltName; `[]` when it is there without a name, undefined when it is absent. */
  readonly alternativeNames?: readonly AlternativeName[];
  /** The whole value of subjectAltName. */
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
  /** Critical ones that Go does not understand. */
  readonly unhandledCritical: readonly string[];
}

/** A certificate as Go's crypto/x509 parses it. */
export interface Certificate extends Extensions {
  /** DER. */
  readonly raw: Buffer;
  /** What is signed. */
  readonly signed: Buffer;
  readonly signature: Buffer;
  /** Undefined: an algorithm that Go does not know. */
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
