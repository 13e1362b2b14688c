import type { CertManagerCertificate } from './certificate.ts';
import type { Condition, Metadata } from './metadata.ts';

/** cert-manager.io/v1 Issuer or ClusterIssuer: who signs what Certificates order. */
export interface Issuer {
  readonly metadata: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The issuer that a Certificate names. */
export interface IssuerRef {
  readonly kind: 'Issuer' | 'ClusterIssuer';
  readonly name: string;
  /** Of an Issuer: the Certificate's own. */
  readonly namespace?: string;
}

/** Undefined where it names none, or one of another group than cert-manager's, of which nothing is known here. */
export function issuerOf({ metadata, spec }: CertManagerCertificate): IssuerRef | undefined {
  const { name, kind = 'Issuer', group = 'cert-manager.io' } = spec.issuerRef ?? {};
  if (name === undefined || name === '' || group !== 'cert-manager.io') return undefined;
  if (kind === 'ClusterIssuer') return { kind, name };
  const { namespace } = metadata;
  return kind === 'Issuer' ? { kind, name, ...(namespace === undefined ? {} : { namespace }) } : undefined;
}

/** `Issuer shop/ca`, `ClusterIssuer ca`: as people write it, and the key of the fact. */
export const issuerKey = ({ kind, namespace, name }: IssuerRef): string =>
  namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
