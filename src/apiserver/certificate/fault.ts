import type { Certificate } from './certificate.ts';

export type FaultKind =
  /** A certificate that Go cannot parse. */
  | 'malformed'
  | 'no-certificate'
  /** Nothing in the caBundle is a certificate: the call ends before a connection. */
  | 'ca-bundle-unreadable'
  /** An RSA key of more than 8192 bits. */
  | 'oversized-key'
  | 'unhandled-critical-extension'
  | 'expired'
  | 'not-yet-valid'
  | 'name-mismatch'
  | 'legacy-common-name'
  /** Nothing in the caBundle has the issuer's name. */
  | 'unknown-authority'
  /** Something has the issuer's name, but another key made the signature: a CA was rotated. */
  | 'issuer-key-differs'
  /** The issuer is no authority: no basic constraints, CA:FALSE, or a key usage without keyCertSign. */
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

/** One thing that is wrong, and that alone would make the call fail. */
export interface CertificateFault {
  readonly kind: FaultKind;
  /** What the API server says when this is the first fault that it meets, after `Post "…": `. */
  readonly text: string;
  /** The certificate that is at fault; undefined where none could be parsed. */
  readonly certificate?: Certificate;
  /** The certificate in the caBundle, or among those presented, that has the issuer's name and was turned down. */
  readonly candidate?: Certificate;
}
