import type { Condition, Metadata } from './metadata.ts';

/** cert-manager.io/v1 Certificate: its issuer, its names and its Secret. */
export interface CertManagerCertificate {
  readonly metadata: Metadata;
  readonly spec: {
    readonly secretName?: string;
    readonly dnsNames?: readonly string[];
    readonly issuerRef?: { readonly group?: string; readonly kind?: string; readonly name?: string };
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    /** RFC 3339. */
    readonly notAfter?: string;
    readonly renewalTime?: string;
  };
}
