import { createHash } from 'node:crypto';
import { anchorsAt, isVerified, trustOf } from '../../apiserver/certificate/anchors.ts';
import type { Certificate } from '../../apiserver/certificate/certificate.ts';
import type { DistinguishedName } from '../../apiserver/certificate/parse/distinguished-name.ts';
import { parseChain } from '../../apiserver/certificate/parse/parse-chain.ts';
import type { CertificateVerdict } from '../../apiserver/certificate/verify/verify-server-certificate.ts';
import { defined } from '../../basics/collections.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import type { World } from '../../facts/snapshot.ts';
import { type CertificateChain, verdictOn } from '../../serving-certificates/chains.ts';
import { momentText } from '../../serving-certificates/moment-text.ts';
import { everyName } from '../../serving-certificates/names.ts';
import type { ServingSecret } from '../../serving-certificates/serving-secret.ts';
import type { CertificateEntry, CertificateFacts } from './certificate-report.ts';

const nameText = ({ commonName, organizations }: DistinguishedName): string =>
  [...(commonName === '' ? [] : [`CN=${commonName}`]), ...organizations.map((name) => `O=${name}`)].join(',');

function serialText(serial: bigint): string {
  const digits = (serial < 0n ? -serial : serial).toString(16).toUpperCase();
  return `${serial < 0n ? '-' : ''}${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

const certificateFacts = (certificate: Certificate): CertificateFacts => ({
  subject: nameText(certificate.subject),
  issuer: nameText(certificate.issuer),
  names: everyName(certificate),
  notBefore: certificate.notBefore.text,
  notAfter: certificate.notAfter.text,
  serial: serialText(certificate.serial),
  sha256: (createHash('sha256').update(certificate.raw).digest('hex').match(/../g) ?? []).join(':'),
});

const unknownAuthority = 'x509: certificate signed by unknown authority';

/** The error without the prefix that newer versions of crypto/tls add to the errors of x509. */
const withoutTlsPrefix = (text: string): string => text.replace(/^tls: failed to verify certificate: /, '');

/** The verdict for `-o json`. A `.svc` name with system roots is rejected: no public CA signs it. */
export function verdictText(
  verdict: CertificateVerdict,
  callout: Callout,
): Pick<CertificateEntry, 'verdict' | 'error'> {
  switch (verdict.outcome) {
    case 'accepted':
      return { verdict: 'accepted' };
    case 'rejected':
      return { verdict: 'rejected', error: withoutTlsPrefix(verdict.error ?? verdict.faults[0].text) };
    default:
      return isServiceBacked(callout) ? { verdict: 'rejected', error: unknownAuthority } : {};
  }
}

const calloutIdentity = ({ kind, configuration, webhook }: Callout): CertificateEntry['callout'] => ({
  kind,
  configuration,
  webhook,
});

function chainEntry(
  presented: readonly Uint8Array[],
  version: string | undefined,
): Pick<CertificateEntry, 'names' | 'chain'> {
  const [leaf, ...others] = parseChain(presented, version);
  const chain = others.filter((found) => found !== undefined).map(certificateFacts);
  return leaf === undefined ? { names: [], chain } : { ...certificateFacts(leaf), chain };
}

/** One entry per replica, or URL. */
export const servedEntry = (
  callout: Callout,
  chain: CertificateChain,
  version: string | undefined,
): CertificateEntry => ({
  callout: calloutIdentity(callout),
  source: 'served',
  ...defined({ pod: chain.pod, endpoint: chain.endpoint, url: chain.url }),
  ...chainEntry(chain.presented, version),
  ...verdictText(chain.verdict, callout),
});

/** The certificate in the Secret or ConfigMap, as if served: Pods serve it after their next start. */
export function secretEntry(
  callout: Callout,
  serving: ServingSecret | undefined,
  facts: World<'version' | 'clock'>,
): readonly CertificateEntry[] {
  if (serving === undefined || serving.chain.length === 0) return [];
  return [
    {
      callout: calloutIdentity(callout),
      ...(serving.kind === 'Secret'
        ? ({ source: 'secret', secret: serving.key } as const)
        : ({ source: 'config-map', configMap: serving.key } as const)),
      ...chainEntry(serving.chain, facts.version),
      ...verdictText(verdictOn(callout, serving.chain, facts), callout),
    },
  ];
}

/** One entry per certificate of the caBundle; one without a certificate for a bundle that cannot be read. */
export function bundleEntries(
  callout: Callout,
  { version, takenAt }: World<'version'>,
): readonly CertificateEntry[] {
  const trust = isVerified(callout) ? trustOf(callout, version) : undefined;
  if (trust === undefined || trust.kind === 'system-roots') return [];
  const base = { callout: calloutIdentity(callout), source: 'ca-bundle', chain: [] } as const;
  if (trust.kind === 'refused') return [{ ...base, names: [], verdict: 'rejected', error: trust.text }];
  const { expired, notYetValid } = anchorsAt(trust.certificates, takenAt);
  const expiredOrNotYetValid = `x509: certificate has expired or is not yet valid: current time ${momentText(Date.parse(takenAt))} is`;
  return trust.certificates.map((anchor) => {
    const early = notYetValid.includes(anchor)
      ? `${expiredOrNotYetValid} before ${anchor.notBefore.text}`
      : undefined;
    const error = expired.includes(anchor) ? `${expiredOrNotYetValid} after ${anchor.notAfter.text}` : early;
    return {
      ...base,
      ...certificateFacts(anchor),
      ...(error === undefined ? { verdict: 'accepted' } : { verdict: 'rejected', error }),
    };
  });
}
