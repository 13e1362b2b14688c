import type { Metadata } from './metadata.ts';

/** Who wrote an object's data, and when (managedFields). */
export interface DataWriter {
  readonly manager: string;
  /** RFC 3339. */
  readonly at?: string;
}

/**
 * core/v1 Secret, or ConfigMap, without anything secret: which keys it has, and the certificates in it (PEM). Private keys and all
 * other values are dropped where the answer is read, before anything else sees them.
 */
export interface CertificateSecret {
  /** Of the annotations only those of cert-manager and of OpenShift's service CA. */
  readonly metadata: Metadata;
  readonly type?: string;
  readonly keys: readonly string[];
  /** Data key → the PEM certificates in its value, without whatever else it holds; no entry where there is none. */
  readonly certificates: Readonly<Record<string, string>>;
  /** Field managers that own data of it, the last one to write first. */
  readonly writers?: readonly DataWriter[];
}
