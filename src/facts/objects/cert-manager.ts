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

/** cert-manager.io/v1 Issuer or ClusterIssuer, which signs Certificates. */
export interface Issuer {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The issuer in the spec of a Certificate. */
interface IssuerRef {
  readonly kind: 'Issuer' | 'ClusterIssuer';
  readonly name: string;
  /** Of an Issuer: the Certificate's namespace. */
  readonly namespace?: string;
}

/** The issuer of a Certificate; undefined if it has none, or one of another API group than cert-manager's. */
export function issuerOf({ metadata, spec }: CertManagerCertificate): IssuerRef | undefined {
  const { name, kind = 'Issuer', group = 'cert-manager.io' } = spec.issuerRef ?? {};
  if (name === undefined || name === '' || group !== 'cert-manager.io') return undefined;
  if (kind === 'ClusterIssuer') return { kind, name };
  const { namespace } = metadata;
  return kind === 'Issuer' ? { kind, name, ...(namespace === undefined ? {} : { namespace }) } : undefined;
}

/** `Issuer shop/ca`, `ClusterIssuer ca`: the text for messages, and the key of the fact. */
export const issuerKey = ({ kind, namespace, name }: IssuerRef): string =>
  namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;

/** Annotations of cert-manager: of the objects that it issues a certificate for, and of those that need a CA. */
export const certManager = {
  certificateName: 'cert-manager.io/certificate-name',
  injectFrom: 'cert-manager.io/inject-ca-from',
  injectFromSecret: 'cert-manager.io/inject-ca-from-secret',
  injectApiServerCa: 'cert-manager.io/inject-apiserver-ca',
  /** On a Secret that is no output of a Certificate: its CA may be injected. */
  allowDirectInjection: 'cert-manager.io/allow-direct-injection',
} as const;
