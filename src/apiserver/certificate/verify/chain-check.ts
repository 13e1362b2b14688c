import type { Certificate } from '../certificate.ts';
import type { GoRules } from '../go-rules.ts';
import type { CertificatePool } from './certificate-pool.ts';
import type { CertificateFault, FaultKind } from './fault.ts';

/** The parameters of one verification. */
export interface ChainCheck {
  /** Undefined for the system roots of the API server's host, which are not known. */
  readonly anchors: CertificatePool | undefined;
  readonly intermediates: CertificatePool;
  readonly host: string;
  readonly now: Date;
  readonly rules: GoRules;
  /** Faults to ignore, to find the next error of the API server once they are fixed. */
  readonly tolerated: ToleratedFaults;
}

/** The faults to ignore, by certificate. */
export interface ToleratedFaults {
  has(certificate: Certificate, fault: FaultKind): boolean;
}

/** An error of crypto/x509, without the prefix of crypto/tls. */
export interface Failure extends CertificateFault {
  readonly certificate: Certificate;
  /** The fault to ignore in the next pass; equal to `kind` unless the issuer is missing. */
  readonly tolerance: FaultKind;
}

/**
 * A failure whose `tolerance` is its own kind.
 *
 * @param text Go's error.
 */
export const chainFailure = (kind: FaultKind, certificate: Certificate, text: string): Failure => ({
  kind,
  tolerance: kind,
  certificate,
  text,
});
