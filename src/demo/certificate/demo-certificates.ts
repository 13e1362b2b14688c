import {
  type IssuedKeyPair,
  issueCertificate,
  keyFrom,
  type Signer,
} from '../../basics/issue-certificate.ts';

interface Authority extends Signer {
  /** PEM. */
  readonly certificate: string;
}

const authority = (name: string, seed: string): Authority => {
  const signer = { name, key: keyFrom(seed) };
  const from = new Date('2024-01-01T00:00:00Z');
  const until = new Date('2124-01-01T00:00:00Z');
  return {
    ...signer,
    certificate: issueCertificate({ ...signer, from, until, authority: true }).certificate,
  };
};

const trusted = authority('demo webhook CA', 'trusted');
const others: Partial<Record<CertificateKind, () => Authority>> = {
  'of-another-authority': () => authority('another CA', 'another'),
  'of-renewed-authority': () => authority('demo webhook CA', 'renewed'),
};
const authorityOf = (kind: CertificateKind): Authority => others[kind]?.() ?? trusted;

/** The CA of demo webhooks, base64: CN=demo webhook CA, valid until 2124. */
export const caBundle = Buffer.from(trusted.certificate).toString('base64');

/** Kinds of serving certificates, by their difference from one that {@link caBundle} verifies. */
export type CertificateKind =
  | 'trusted'
  /** Also trusted; issued 90 days later. */
  | 'trusted-renewed'
  | 'of-another-authority'
  /** Signed by a CA with the same name and another key. */
  | 'of-renewed-authority'
  | 'expired'
  | 'for-another-name';

/** Days until a certificate with a validity of one year expires. */
const daysLeft: Partial<Record<CertificateKind, number>> = { expired: -3, 'trusted-renewed': 360 };
const day = 24 * 60 * 60 * 1000;

interface ServingCertificate extends IssuedKeyPair {
  /** Certificate of the issuing CA, PEM. */
  readonly authority: string;
}

/** A serving certificate for the names, as of now. The same in every run of a day. */
export function servingCertificate(
  kind: CertificateKind,
  names: readonly string[],
  now: Date,
): ServingCertificate {
  const dns = kind === 'for-another-name' ? ['localhost'] : names;
  const at = (days: number): Date => new Date(Math.floor(now.getTime() / day + days) * day);
  const until = daysLeft[kind] ?? 270;
  const signer = authorityOf(kind);
  const pair = issueCertificate({
    ...{ name: dns[0] ?? '', key: keyFrom(`${kind} ${dns.join(' ')}`), signer, dns },
    ...{ from: at(until - 365), until: at(until) },
  });
  return { ...pair, authority: signer.certificate };
}

const kinds: readonly CertificateKind[] = [
  ...(['trusted', 'trusted-renewed', 'of-another-authority', 'of-renewed-authority'] as const),
  ...(['expired', 'for-another-name'] as const),
];

/** The kind of a serving certificate (PEM) issued for these names; undefined for any other. */
export const certificateKind = (
  certificate: string,
  names: readonly string[],
  now: Date,
): CertificateKind | undefined =>
  kinds.find((kind) => servingCertificate(kind, names, now).certificate.trim() === certificate.trim());
