import type { BackendOptions } from '../backend/options.ts';
import type { CertificateKind } from '../certificate/demo-certificates.ts';

/**
 * What runs in a Pod, as far as connections to its ports tell: unless told otherwise an HTTPS server, with a certificate
 * that the caBundle trusts for all Services that select the Pod, that allows everything and
 * keeps idle connections for longer than the API server does.
 */
export interface Process
  extends Pick<
    BackendOptions,
    | 'answer'
    | 'message'
    | 'status'
    | 'body'
    | 'delay'
    | 'fault'
    | 'gate'
    | 'leader'
    | 'ready'
    | 'minTls'
    | 'maxTls'
    | 'api'
    | 'idleTimeout'
  > {
  /** `trusted` unless told; `none`: plain HTTP. */
  readonly certificate?: CertificateKind | 'none';
  /** Demands client certificates, of a CA that signs for nobody here. */
  readonly demandsClientCertificate?: boolean;
  /** Everywhere unless told. */
  readonly listens?: 'everywhere' | 'on-loopback' | 'nowhere';
  /** What the network does with connections of the API server to the Pod; lets them pass unless told. */
  readonly network?: 'rejects' | 'drops' | 'not-allowed';
}
