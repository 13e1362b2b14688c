import type { Certificate } from './certificate.ts';
import type { CertificatePool } from './certificate-pool.ts';
import type { CertificateFault, FaultKind } from './fault.ts';
import type { GoRules } from './go-rules.ts';

/** What one run of the verifier goes by. */
export interface ChainCheck {
  /** Undefined: the system roots of the API server's host, which nobody sees. */
  readonly anchors: CertificatePool | undefined;
  readonly intermediates: CertificatePool;
  readonly host: string;
  readonly now: Date;
  readonly rules: GoRules;
  /** Faults that count as mended: what would the API server say next? */
  readonly mended: ToleratedFaults;
}

/** Which faults of which certificates are passed over. */
export interface ToleratedFaults {
  has(certificate: Certificate, fault: FaultKind): boolean;
}

/** An error of crypto/x509, without the prefix of crypto/tls. */
export interface Failure extends CertificateFault {
  readonly certificate: Certificate;
  /** What is mended to go on; `kind` unless the issuer is missing. */
  readonly mend: FaultKind;
}

export const chainFailure = (kind: FaultKind, certificate: Certificate, text: string): Failure => ({
  kind,
  mend: kind,
  certificate,
  text,
});
