import { remembered } from '../../../basics/derive.ts';
import type { Certificate } from '../certificate.ts';
import { type GoRules, goRules } from '../go-rules.ts';
import { checkHost } from '../names/host-name.ts';
import { type CaBundle, loadCaBundle } from '../parse/load-ca-bundle.ts';
import { isRefusedCertificate, parseCertificate } from '../parse/parse-certificate.ts';
import { goType } from '../parse/public-key.ts';
import { buildChains } from './build-chains.ts';
import { certificatePool } from './certificate-pool.ts';
import { type ChainCheck, chainFailure, type Failure, type ToleratedFaults } from './chain-check.ts';
import { weakRsaKey } from './check-signature.ts';
import { checkValidity } from './check-validity.ts';
import { chooseChain } from './choose-chain.ts';
import type { CertificateFault, FaultKind } from './fault.ts';

/** Maximum bits of an RSA key in Go's TLS. */
const longestRsaKey = 8192;

interface ParsedPresented {
  /** The server's own certificate; undefined if it cannot be parsed. */
  readonly leaf: Certificate | undefined;
  readonly others: readonly Certificate[];
  readonly faults: readonly CertificateFault[];
}

/** Every presented certificate must be valid DER, needed or not (crypto/tls verifyServerCertificate). */
function parsePresented(presented: readonly Uint8Array[], rules: GoRules): ParsedPresented {
  if (presented.length === 0) {
    const fault: CertificateFault = {
      kind: 'no-certificate',
      text: 'tls: received empty certificates message',
    };
    return { leaf: undefined, others: [], faults: [fault] };
  }
  const all = presented.map((der) => parseCertificate(der, rules));
  const faults = all.flatMap((found): CertificateFault[] => {
    if (isRefusedCertificate(found)) {
      return [{ kind: 'malformed', text: `tls: failed to parse certificate from server: ${found.refused}` }];
    }
    if (found.publicKey?.kind !== 'rsa' || found.publicKey.bits <= longestRsaKey) return [];
    const text = `tls: server sent certificate containing RSA key larger than ${longestRsaKey} bits`;
    return [{ kind: 'oversized-key', certificate: found, text }];
  });
  const [leaf, ...others] = all.map((found) => (isRefusedCertificate(found) ? undefined : found));
  return { leaf, others: others.filter((found) => found !== undefined), faults };
}

/** The handshake's error for the key of a certificate that was accepted. */
function keyFault(leaf: Certificate, rules: GoRules): CertificateFault | undefined {
  const { publicKey } = leaf;
  if (publicKey === undefined || publicKey.kind === 'dsa' || publicKey.kind === 'x25519') {
    const type = publicKey === undefined ? '<nil>' : goType[publicKey.kind];
    const text = `tls: server's certificate contains an unsupported type of public key: ${type}`;
    return { kind: 'unsupported-key', certificate: leaf, text };
  }
  const weak = weakRsaKey(publicKey, rules);
  if (weak === undefined) return undefined;
  return {
    kind: 'weak-key',
    certificate: leaf,
    text: `tls: invalid signature by the server certificate: ${weak}`,
  };
}

/** The certificates that a server presented, and the parameters of the verification. */
export interface PresentedCertificates {
  /** DER, the server's own certificate first; `pemCertificates` converts from PEM. */
  readonly presented: readonly Uint8Array[];
  /** The callout's, base64 as in the object, or its bytes. Undefined: the system roots of the API server. */
  readonly caBundle: string | Uint8Array | undefined;
  /** `svc.namespace.svc`, or the host of a URL, without the port. */
  readonly host: string;
  /** The API server's clock. */
  readonly now: Date;
  /** The API server's version; if unknown, the current one. */
  readonly serverVersion?: string | undefined;
}

/** The result of the API server's verification of a server certificate. */
export type CertificateVerdict =
  | {
      readonly outcome: 'accepted';
      /** From the server's certificate to the anchor in the caBundle. */
      readonly chain: readonly Certificate[];
    }
  | {
      readonly outcome: 'rejected';
      /** All faults, in the order in which the API server would report them as each is fixed. */
      readonly faults: readonly [CertificateFault, ...CertificateFault[]];
      /** The API server's error after `Post "…": `; undefined if it depends on its system roots. */
      readonly error?: string;
    }
  /**
   * No fault was found, but the result depends on the API server's system roots. `error`: its error if they
   * do not trust the chain.
   */
  | { readonly outcome: 'depends-on-system-roots'; readonly error: string };

type Outcome =
  | { readonly chain: readonly Certificate[] }
  | { readonly failure: Failure }
  | { readonly withoutRoots: Failure };

const noRoots = certificatePool([]);
const unknownAuthority = 'x509: certificate signed by unknown authority';

/**
 * The faults of the presented chain below its last issuer. Only for a Service: for a public name, the system
 * roots can contain a root with the same name and key as a presented certificate, which replaces it.
 */
function underSystemRoots(leaf: Certificate, check: ChainCheck): Outcome {
  const built = buildChains([leaf], { ...check, anchors: noRoots });
  const found =
    'failure' in built ? built.failure : chainFailure('unknown-authority', leaf, unknownAuthority);
  const isSure = check.host.endsWith('.svc') && found.tolerance !== 'unknown-authority';
  return isSure ? { failure: found } : { withoutRoots: found };
}

/** One pass of crypto/x509 Verify. */
function verify(leaf: Certificate, check: ChainCheck): Outcome {
  const invalid = checkValidity(leaf, check);
  if (invalid !== undefined) return { failure: invalid };
  const wrong = checkHost(leaf, check.host, check.rules);
  if (wrong !== undefined && !check.tolerated.has(leaf, wrong.kind)) {
    return { failure: chainFailure(wrong.kind, leaf, wrong.text) };
  }
  if (check.anchors === undefined) return underSystemRoots(leaf, check);
  const built = check.anchors.contains(leaf) ? { chains: [[leaf]] } : buildChains([leaf], check);
  return 'failure' in built ? built : chooseChain(built.chains, check);
}

/** Repeats the verification and ignores the faults found so far, until it finds no other fault. */
function findAllFaults(leaf: Certificate, given: Omit<ChainCheck, 'tolerated'>) {
  const done = new Map<Certificate, Set<FaultKind>>();
  const tolerated: ToleratedFaults = {
    has: (certificate, fault) => done.get(certificate)?.has(fault) === true,
  };
  const failures: Failure[] = [];
  for (;;) {
    const outcome = verify(leaf, { ...given, tolerated });
    if (!('failure' in outcome)) return { failures, outcome };
    const { certificate, tolerance, kind } = outcome.failure;
    failures.push(outcome.failure);
    if (kind === 'signature-limit') return { failures, outcome: undefined };
    done.set(certificate, (done.get(certificate) ?? new Set()).add(tolerance));
  }
}

const withPrefix = ({ kind, certificate, candidate, text }: Failure, prefix: string): CertificateFault => ({
  kind,
  certificate,
  ...(candidate && { candidate }),
  text: `${prefix}${text}`,
});

function rejected(faults: readonly CertificateFault[], certain: boolean): CertificateVerdict | undefined {
  const [first, ...rest] = faults;
  if (first === undefined) return undefined;
  return { outcome: 'rejected', faults: [first, ...rest], ...(certain && { error: first.text }) };
}

type PresentedKey = readonly [
  presented: PresentedCertificates['presented'],
  caBundle: PresentedCertificates['caBundle'],
  host: string,
  now: number,
  serverVersion: string | undefined,
];

/** Caches the verdict on a chain: callouts share backends, and several checks need it. */
const evaluated = remembered((...[presented, caBundle, host, now, serverVersion]: PresentedKey) =>
  evaluate({ presented, caBundle, host, now: new Date(now), serverVersion }),
);

/**
 * Predicts whether kube-apiserver accepts the certificates that a server presents, for the callout's
 * `caBundle`: as crypto/tls and crypto/x509 of the Go version that the release is built with, in their order
 * and with their errors. Every certificate of the bundle is a trust anchor; the presented ones can be
 * intermediates. There are no revocation checks. The current time in an error is in UTC; a host in another
 * time zone prints its own.
 */
export function verifyServerCertificate(given: PresentedCertificates): CertificateVerdict {
  const { presented, caBundle, host, now, serverVersion } = given;
  return evaluated(presented, caBundle, host, now.getTime(), serverVersion);
}

function evaluate(given: PresentedCertificates): CertificateVerdict {
  const rules = goRules(given.serverVersion);
  const bundle: CaBundle = loadCaBundle(given.caBundle, given.serverVersion);
  if (bundle.kind === 'refused') {
    const fault: CertificateFault = { kind: 'ca-bundle-unreadable', text: bundle.text };
    return { outcome: 'rejected', faults: [fault], error: fault.text };
  }
  const { leaf, others, faults } = parsePresented(given.presented, rules);
  if (leaf === undefined) return rejected(faults, true) as CertificateVerdict;
  const { failures, outcome } = findAllFaults(leaf, {
    anchors: bundle.kind === 'loaded' ? certificatePool(bundle.certificates) : undefined,
    intermediates: certificatePool(others),
    host: given.host,
    now: given.now,
    rules,
  });
  const handshake = keyFault(leaf, rules);
  const found = [...faults, ...failures.map((fault) => withPrefix(fault, rules.prefix))];
  const depends = outcome !== undefined && 'withoutRoots' in outcome ? outcome.withoutRoots : undefined;
  const certain = found.length > 0 || depends === undefined;
  const verdict = rejected([...found, ...(handshake === undefined ? [] : [handshake])], certain);
  if (verdict !== undefined) return verdict;
  if (depends !== undefined) {
    return { outcome: 'depends-on-system-roots', error: withPrefix(depends, rules.prefix).text };
  }
  return { outcome: 'accepted', chain: outcome !== undefined && 'chain' in outcome ? outcome.chain : [leaf] };
}
