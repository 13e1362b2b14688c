import { trustOf } from '../apiserver/certificate/anchors.ts';
import { type Certificate, isSelfIssued } from '../apiserver/certificate/certificate.ts';
import { parseChain } from '../apiserver/certificate/parse/parse-chain.ts';
import { pemCertificates } from '../apiserver/certificate/parse/pem.ts';
import type { CertificateFault } from '../apiserver/certificate/verify/fault.ts';
import { derive } from '../basics/derive.ts';
import type { Callout } from '../facts/callout.ts';
import { type CertificateChain, type ChainFacts, chainFacts, knownChains, verdictOn } from './chains.ts';
import { servingSecrets } from './serving-secret.ts';

/** Why a signature does not chain to the caBundle. */
export type MissingLink =
  /** It is signed by another CA, or by another key of the same CA. */
  | { readonly kind: 'authority' }
  /** The intermediate certificate is not presented. `found`: it is elsewhere, and completes the chain. */
  | {
      readonly kind: 'intermediate';
      readonly found?: { readonly certificate: Certificate; readonly in?: string };
    };

/**
 * True if a self-signed certificate only has the name of the one in the caBundle: it was renewed. A certificate of
 * cert-manager's self-signed issuer is no CA, so Go reports that its namesake cannot sign it.
 */
export const isOfNamesake = ({ kind, certificate, candidate }: CertificateFault): boolean =>
  kind === 'issuer-cannot-sign' &&
  certificate !== undefined &&
  candidate !== undefined &&
  isSelfIssued(certificate) &&
  !certificate.raw.equals(candidate.raw);

const noAuthority = (fault: CertificateFault): boolean =>
  fault.kind === 'unknown-authority' || fault.kind === 'issuer-key-differs' || isOfNamesake(fault);

const intermediateName = /intermediate|issuing|subordinate|\bsub[- ]?ca\b|\bica\b/i;

const textOf = (der: Uint8Array): string => Buffer.from(der).toString('base64');

/**
 * True if the Secret of this certificate contains a CA that is also in the caBundle: then the bundle is not
 * outdated, but an intermediate certificate is missing.
 */
function secretAgrees(callout: Callout, facts: ChainFacts, leaf: Certificate): boolean {
  const trust = trustOf(callout, facts.version);
  if (trust?.kind !== 'loaded') return false;
  return servingSecrets(callout, facts)
    .filter(({ chain }) => chain[0]?.equals(leaf.raw))
    .flatMap(({ secret }) => Object.values(secret?.certificates ?? {}).flatMap(pemCertificates))
    .some((der) => !der.equals(leaf.raw) && trust.certificates.some(({ raw }) => raw.equals(der)));
}

/** A certificate found near a webhook or APIService, in DER, and the Secret that contains it. */
interface NearbyCertificate {
  readonly der: Buffer;
  readonly secret?: string;
}

/** Every certificate that Pods present, or that is in the Secrets that they mount. */
function nearbyCertificates(callout: Callout, facts: ChainFacts): readonly NearbyCertificate[] {
  const presented = knownChains(callout, facts).flatMap((chain) =>
    chain.presented.map((der) => ({ der: Buffer.from(der) })),
  );
  const stored = servingSecrets(callout, facts).flatMap(({ key: secret, secret: found }) =>
    Object.values(found?.certificates ?? {}).flatMap((pem) =>
      pemCertificates(pem).map((der) => ({ der, secret })),
    ),
  );
  return [...presented, ...stored];
}

/** These certificates without those that Go cannot parse. */
const parsed = (nearby: readonly NearbyCertificate[], version: string | undefined): readonly Certificate[] =>
  parseChain(
    nearby.map(({ der }) => der),
    version,
  ).filter((found) => found !== undefined);

function findLink(
  facts: ChainFacts,
  callout: Callout,
  chain: CertificateChain,
  fault: CertificateFault,
): MissingLink | undefined {
  if (!noAuthority(fault)) return undefined;
  const { certificate } = fault;
  if (certificate === undefined || isSelfIssued(certificate)) return { kind: 'authority' };
  const tried = new Set(chain.presented.map(textOf));
  for (const nearby of nearbyCertificates(callout, facts)) {
    if (tried.has(textOf(nearby.der))) continue;
    tried.add(textOf(nearby.der));
    const verdict = verdictOn(callout, [...chain.presented, nearby.der], facts);
    if (verdict.outcome === 'rejected' && verdict.faults.some(noAuthority)) continue;
    const [found] = parsed([nearby], facts.version);
    if (found === undefined) continue;
    const where = nearby.secret === undefined ? {} : { in: `Secret ${nearby.secret}` };
    return { kind: 'intermediate', found: { certificate: found, ...where } };
  }
  if (fault.kind === 'issuer-key-differs') return { kind: 'authority' };
  const issuer = certificate.issuer.commonName;
  const byName = intermediateName.test(issuer) || secretAgrees(callout, facts, certificate);
  return byName ? { kind: 'intermediate' } : { kind: 'authority' };
}

/** Explains a fault of this kind in a chain; undefined for other kinds of faults. */
export const missingLink = derive([...chainFacts, 'takenAt'], findLink);

/** True if the API server rejects the chain because another CA signed it: no date, name or intermediate is the fault. */
export const isOfOtherAuthority = (
  facts: Parameters<typeof missingLink>[0],
  callout: Callout,
  chain: CertificateChain,
): boolean =>
  chain.verdict.outcome === 'rejected' &&
  chain.verdict.faults.some((fault) => missingLink(facts, callout, chain, fault)?.kind === 'authority');
