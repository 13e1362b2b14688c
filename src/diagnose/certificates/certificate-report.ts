import type { CalloutKind } from '../../facts/callout.ts';
import type { CalloutReport, ReportCore } from '../report.ts';

/** The fields by which certificates are compared. */
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

/** The source of a certificate: the caBundle, the Secret or ConfigMap that Pods mount, or a handshake. */
export type CertificateSource = 'ca-bundle' | 'secret' | 'config-map' | 'served';

/** One certificate of a webhook or APIService, with the verdict on the chain that starts with it. */
export interface CertificateEntry extends Partial<CertificateFacts> {
  readonly callout: { readonly kind: CalloutKind; readonly configuration: string; readonly webhook: string };
  readonly source: CertificateSource;
  /** Only for `served`. */
  readonly pod?: string;
  readonly endpoint?: string;
  readonly url?: string;
  /** `namespace/name`, for `secret`. */
  readonly secret?: string;
  /** `namespace/name`, for `config-map`. */
  readonly configMap?: string;
  readonly names: readonly string[];
  /** Absent if the system roots of the API server decide: no API returns them. */
  readonly verdict?: 'accepted' | 'rejected';
  /** The error message of the API server. */
  readonly error?: string;
  /** The certificates after the first one. */
  readonly chain: readonly CertificateFacts[];
}

/** `degraded`: some replicas are rejected. `unknown`: no certificate, or the system roots decide. */
export type CertificateState = 'accepted' | 'degraded' | 'rejected' | 'unknown';

/** One row of `cert-check`. */
export interface CalloutCertificates
  extends Pick<CalloutReport, 'kind' | 'configuration' | 'webhook' | 'backend'> {
  readonly state: CertificateState;
  /** The API server does not call it as it is configured: the summary counts it only in the total. */
  readonly neverCalled?: true;
  readonly confidence: 'observed' | 'derived';
  /** The error message of the API server, or the reason why the state is unknown. */
  readonly why?: string;
  /** In words: `root-ca`, `empty`, `unreadable`, `not used`. */
  readonly caBundle: string;
  /** The Secret with the serving certificate, or its other source. */
  readonly keptIn: string;
  /** The same without what is wrong there: the cells of the table. */
  readonly inBrief: { readonly caBundle: string; readonly keptIn: string };
  readonly replicas: {
    readonly total: number;
    readonly served: number;
    readonly accepted: number;
  };
  /** The first expiry among the certificates that the next call depends on; RFC 3339. */
  readonly firstExpiry?: { readonly at: string; readonly of: string };
  readonly renewedBy: string;
}

/** The report of `cert-check`: the contract that `-o json` prints. */
export interface CertificateReport extends ReportCore<CertificateState> {
  readonly kind: 'CertificateReport';
  readonly certificates: readonly CertificateEntry[];
  readonly callouts: readonly CalloutCertificates[];
}
