import type { CalloutKind } from '../facts/callout.ts';
import type { BackendReport, ReportCore } from './report.ts';

/** One certificate as people and scripts compare it. */
export interface CertificateFacts {
  /** `CN=policy,O=shop`. */
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and addresses of subjectAltName. */
  readonly names: readonly string[];
  /** RFC 3339. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** Hexadecimal, as openssl and Node print it. */
  readonly serial: string;
  /** `3f:9a:…`. */
  readonly sha256: string;
}

/** Where a certificate stands: in the configuration, in the Secret or ConfigMap that Pods mount, in a handshake. */
export type CertificateSource = 'ca-bundle' | 'secret' | 'config-map' | 'served';

/** One certificate of a callout, with the API server's verdict on the chain that it leads. */
export interface CertificateEntry extends Partial<CertificateFacts> {
  readonly callout: { readonly kind: CalloutKind; readonly configuration: string; readonly webhook: string };
  readonly source: CertificateSource;
  /** Of `served`. */
  readonly pod?: string;
  readonly endpoint?: string;
  readonly url?: string;
  /** `namespace/name`, of `secret`. */
  readonly secret?: string;
  /** `namespace/name`, of `config-map`. */
  readonly configMap?: string;
  readonly names: readonly string[];
  /** Absent where the API server's own system roots decide, which nobody sees. */
  readonly verdict?: 'accepted' | 'rejected';
  /** The API server's words. */
  readonly error?: string;
  /** What is presented, or lies, behind it. */
  readonly chain: readonly CertificateFacts[];
}

/** `degraded`: some replicas are rejected. `unknown`: no certificate could be seen, or the system roots decide. */
export type CertificateState = 'accepted' | 'degraded' | 'rejected' | 'unknown';

/** What is to be said of one callout. */
export interface CalloutCertificates {
  readonly kind: CalloutKind;
  readonly configuration: string;
  readonly webhook: string;
  readonly backend: BackendReport;
  readonly state: CertificateState;
  readonly confidence: 'observed' | 'derived';
  /** The API server's words, or why nobody can tell. */
  readonly why?: string;
  /** In words: `root-ca`, `empty`, `unreadable`, `not used`. */
  readonly caBundle: string;
  /** The Secret that holds what is served, or where it is kept instead. */
  readonly keptIn: string;
  readonly replicas: {
    readonly total: number;
    readonly served: number;
    readonly accepted: number;
  };
  /** The first moment at which a certificate ends on which the next call rests; RFC 3339. */
  readonly firstExpiry?: { readonly at: string; readonly of: string };
  readonly renewedBy: string;
}

/** The report of `cert-check`: the contract that `-o json` prints. */
export interface CertificateReport extends ReportCore<CertificateState> {
  readonly kind: 'CertificateReport';
  readonly certificates: readonly CertificateEntry[];
  readonly callouts: readonly CalloutCertificates[];
}
