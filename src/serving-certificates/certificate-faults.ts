import { trustOf } from '../apiserver/certificate/anchors.ts';
import type { Certificate } from '../apiserver/certificate/certificate.ts';
import { parseChain } from '../apiserver/certificate/parse/parse-chain.ts';
import type { CertificateFault, FaultKind } from '../apiserver/certificate/verify/fault.ts';
import { defined } from '../basics/collections.ts';
import { type Callout, clientConfigEvidence } from '../facts/callout.ts';
import type { Confidence, Evidence } from '../facts/evidence.ts';
import { refText } from '../facts/object-ref.ts';
import { agreeing, allPods, namedList } from '../phrases/lists.ts';
import {
  type CertificateChain,
  type ChainFacts,
  certificateName,
  chainsOf,
  expiredSince,
  knownChains,
  reachableChains,
} from './chains.ts';

/** A fault of a chain, and its place among all faults of that chain in the API server's order. */
export interface PlacedFault {
  readonly chain: CertificateChain;
  readonly fault: CertificateFault;
  readonly place: number;
}

/** One kind of fault, on all chains of a webhook or APIService that have it. */
export interface ReportedFault {
  /** `all`: every call has this or another fault. `some`: those of other Pods are accepted. `spare`: never called. */
  readonly extent: 'all' | 'some' | 'spare';
  /** `The certificate that all 3 replicas serve`: the beginning of a sentence. */
  readonly certificate: string;
  readonly first: PlacedFault;
  readonly evidence: readonly Evidence[];
  readonly confidence: Confidence;
  /** Adds the API server's error, the fault's position and the date of an expiry to a finding. */
  readonly complete: <F extends object>(finding: F) => F;
}

const faultsOf = ({ verdict }: CertificateChain): readonly CertificateFault[] =>
  verdict.outcome === 'rejected' ? verdict.faults : [];

/** Faults that Go checks before the signature of the serving certificate. */
const beforeSigners: readonly FaultKind[] = [
  'malformed',
  'oversized-key',
  'unhandled-critical-extension',
  'expired',
  'not-yet-valid',
  'name-mismatch',
  'legacy-common-name',
];

function faultsBeforeSigners(chain: CertificateChain): number {
  const leaf = Buffer.from(chain.presented[0] ?? []);
  const faults = faultsOf(chain);
  const at = faults.findIndex(
    ({ kind, certificate }) =>
      !beforeSigners.includes(kind) || (certificate !== undefined && !certificate.raw.equals(leaf)),
  );
  return at < 0 ? faults.length : at;
}

/**
 * The position of a fault of the caBundle in the API server's order: after the faults of the server's own
 * certificate that every call has. 0 if no such fault was found.
 */
export function placeOfTrust(callout: Callout, facts: ChainFacts): number {
  const reachable = reachableChains(knownChains(callout, facts));
  return reachable.length === 0 ? 0 : Math.min(...reachable.map(faultsBeforeSigners));
}

/** The owner of a certificate, as the beginning of a sentence. */
export function certificateOwnerText(
  chains: readonly CertificateChain[],
  all: readonly CertificateChain[],
): string {
  const [first] = chains;
  if (first === undefined) return 'The certificate';
  if (first.source === 'secret') return `The certificate in ${refText(first.object)}`;
  if (first.url !== undefined) return 'The certificate served at the URL';
  if (chains.length === all.length && chains.length > 1) {
    return `The certificate that ${allPods(chains.length)} serve`;
  }
  const names = chains.map(({ pod, endpoint }) => pod ?? endpoint ?? 'the replica');
  return `The certificate that ${namedList('Pod', names, 2)} ${agreeing(names.length, 'serves', 'serve')}`;
}

/** `CN=guard: notBefore …, notAfter …, signed by root-ca`: the fields that openssl shows. */
export const described = (certificate: Certificate): string => {
  const { notBefore, notAfter, issuer } = certificate;
  const by = issuer.commonName || issuer.organizations[0] || 'an unnamed issuer';
  return `${certificateName(certificate)}: notBefore ${notBefore.text}, notAfter ${notAfter.text}, signed by ${by}`;
};

/** Evidence for a chain: its serving certificate. */
export function chainEvidence(
  { presented, object, field }: CertificateChain,
  version: string | undefined,
): Evidence {
  const [leaf] = parseChain(presented, version);
  const value = leaf === undefined ? 'a certificate that Go cannot read' : described(leaf);
  return { object, field, value };
}

/** Evidence for the anchors of the caBundle, one line each. */
export function bundleEvidence(callout: Callout, version: string | undefined): readonly Evidence[] {
  const trust = trustOf(callout, version);
  if (trust?.kind !== 'loaded') return [];
  return trust.certificates
    .slice(0, 3)
    .map((anchor) => clientConfigEvidence(callout, 'caBundle', described(anchor)));
}

/** The API server's error for a chain; undefined if it depends on the system roots. */
export const chainErrorText = ({ verdict }: CertificateChain): string | undefined =>
  verdict.outcome === 'rejected' ? verdict.error : undefined;

/** Determines if all, some or none of the chains that calls reach have a fault. */
function extentOf(
  having: readonly CertificateChain[],
  chains: readonly CertificateChain[],
): ReportedFault['extent'] {
  const reachable = reachableChains(chains);
  if (!having.some((chain) => reachable.includes(chain))) return 'spare';
  return reachable.every(({ verdict }) => verdict.outcome === 'rejected') ? 'all' : 'some';
}

/**
 * Returns the chains of a webhook or APIService with a fault that `wanted` accepts; undefined if none has.
 * Throws NotKnown if chains could not be read.
 */
export function reportedFault(
  callout: Callout,
  facts: ChainFacts,
  wanted: (fault: CertificateFault, chain: CertificateChain) => boolean,
): ReportedFault | undefined {
  const chains = chainsOf(callout, facts);
  const found = chains.flatMap((chain): readonly PlacedFault[] => {
    const place = faultsOf(chain).findIndex((fault) => wanted(fault, chain));
    const fault = faultsOf(chain)[place];
    return fault === undefined ? [] : [{ chain, fault, place }];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const having = found.map(({ chain }) => chain);
  const expired = found.flatMap(({ fault: { kind, certificate } }) =>
    kind === 'expired' && certificate !== undefined ? certificate : [],
  );
  const since = expiredSince(expired);
  const predictedError = found.map(({ chain }) => chainErrorText(chain)).find((text) => text !== undefined);
  return {
    extent: extentOf(having, chains),
    certificate: certificateOwnerText(having, chains),
    first,
    evidence: having.slice(0, 4).map((chain) => chainEvidence(chain, facts.version)),
    confidence: first.chain.confidence,
    complete: (finding) => ({ ...finding, ...defined({ place: first.place, predictedError, since }) }),
  };
}

/** True if a fault is in the caBundle, not in the presented chain: its certificate is an anchor. */
export function isOfBundle(
  { certificate }: CertificateFault,
  callout: Callout,
  version: string | undefined,
): boolean {
  const trust = trustOf(callout, version);
  if (trust?.kind !== 'loaded' || certificate === undefined) return false;
  return trust.certificates.some(({ raw }) => raw.equals(certificate.raw));
}

/**
 * The position of the faulty certificate in the chain, if it is not the serving certificate; follows `The
 * certificate in Secret …`.
 */
export const positionOf = ({ fault: { certificate }, chain }: PlacedFault): string =>
  certificate === undefined || certificate.raw.equals(Buffer.from(chain.presented[0] ?? []))
    ? ''
    : ` has an issuer in its chain, ${certificateName(certificate)}, which`;
