import type { Metadata } from './metadata.ts';

/**
 * core/v1 Secret, without anything secret: which keys it has, and the certificates in it (PEM). Private keys and all
 * other values are dropped where the answer is read, before anything else sees them.
 */
export interface CertificateSecret {
  readonly metadata: Metadata;
  readonly type?: string;
  readonly keys: readonly string[];
  /** Data key → PEM text, only for values that hold nothing but certificates. */
  readonly certificates: Readonly<Record<string, string>>;
}
