import type { Certificate } from '../certificate.ts';

/** The kinds of faults of certificates. Each is one error of Go, or one cause of an error with several. */
export type FaultKind =
  /** A certificate that Go cannot parse. */
  | 'malformed'
  | 'no-certificate'
  /** The caBundle contains no certificate: the call fails before it connects. */
  | 'ca-bundle-unreadable'
  /** An RSA key of more than 8192 bits. */
  | 'oversized-key'
  | 'unhandled-critical-extension'
  | 'expired'
  | 'not-yet-valid'
  | 'name-mismatch'
  | 'legacy-common-name'
  /** No certificate in the caBundle has the issuer's name. */
  | 'unknown-authority'
  /** A certificate has the issuer's name but another key, for example after a CA rotation. */
  | 'issuer-key-differs'
  /** The issuer is not a CA: no basic constraints, CA:FALSE, or a key usage without keyCertSign. */
  | 'issuer-cannot-sign'
  /** SHA-1 or MD5. */
  | 'weak-signature'
  /** An RSA key of less than 1024 bits. */
  | 'weak-key'
  | 'unknown-algorithm'
  | 'signature-limit'
  | 'not-an-authority'
  | 'path-too-long'
  | 'name-not-permitted'
  | 'wrong-usage'
  | 'policies-do-not-fit'
  | 'unsupported-key';

/** One fault that is enough to make the call fail. */
export interface CertificateFault {
  readonly kind: FaultKind;
  /** The API server's error if this is the first fault that it finds, after `Post "…": `. */
  readonly text: string;
  /** The certificate with the fault; undefined if none could be parsed. */
  readonly certificate?: Certificate;
  /** The rejected certificate with the issuer's name, from the caBundle or from those presented. */
  readonly candidate?: Certificate;
}
