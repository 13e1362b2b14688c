import { isVerified, trustOf } from '../../apiserver/certificate/anchors.ts';
import type { Certificate } from '../../apiserver/certificate/certificate.ts';
import { parseChain } from '../../apiserver/certificate/parse/parse-chain.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import { defined, unique } from '../../basics/collections.ts';
import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { type ProbeConnection, probeConnectionsOf } from '../../facts/probes.ts';
import { unreadText } from '../../facts/unread.ts';
import { listed } from '../../phrases/lists.ts';
import {
  type CertificateChain,
  type ChainFacts,
  certificateName,
  knownChains,
  reachableChains,
} from '../../serving-certificates/chains.ts';
import { type RenewalFacts, renewalOf } from '../../serving-certificates/renewed-by.ts';
import { materialOf, servingSecret, servingSecrets } from '../../serving-certificates/serving-secret.ts';
import { verdictText } from './certificate-entries.ts';
import type { CalloutCertificates, CertificateState } from './certificate-report.ts';

type CertificateRowFacts = ChainFacts & RenewalFacts;

/** A few words, and what is wrong there. */
interface Noted {
  readonly words: string;
  readonly note?: string | undefined;
}

const completeText = ({ words, note }: Noted): string => (note === undefined ? words : `${words}: ${note}`);

function bundleText(callout: Callout, version: string | undefined): Noted {
  if (!isVerified(callout)) {
    const why = callout.kind === 'aggregated-api' ? 'insecureSkipTLSVerify' : 'the API server itself';
    return { words: `not used (${why})` };
  }
  const trust = trustOf(callout, version);
  if (trust === undefined || trust.kind === 'system-roots') return { words: 'empty', note: 'system roots' };
  if (trust.kind === 'refused') return { words: 'holds no certificate' };
  return { words: listed(unique(trust.certificates.map(certificateName)), { most: 2 }) };
}

/** The Secret, ConfigMap or other source of the serving certificate; or none. */
function sourceText(callout: Callout, facts: CertificateRowFacts): Noted {
  if (!isServiceBacked(callout)) return { words: 'outside the cluster' };
  const serving = servingSecret(callout, facts);
  if (serving !== undefined) {
    const { kind, secret, unread, chain } = serving;
    const words = kind === 'Secret' ? serving.name : `${kind} ${serving.name}`;
    if (unread !== undefined) return { words, note: unread.why };
    if (secret === undefined) return { words, note: 'missing' };
    if (chain.length > 0) return { words };
    const store = secret.keys.find((key) => /\.(p12|pfx|jks)$|keystore/i.test(key));
    return { words, note: store === undefined ? 'no serving certificate in it' : `${store}, not opened` };
  }
  const several = servingSecrets(callout, facts);
  if (several.length > 0) return { words: `one of ${several.map(({ name }) => name).join(', ')}` };
  const material = materialOf(callout, facts);
  const [source] = material?.sources ?? [];
  if (source !== undefined) return { words: `${source.kind} ${source.name}` };
  if (material?.rotation !== undefined) return { words: 'the process itself' };
  return material === undefined
    ? { words: 'not examined' }
    : { words: 'not found', note: 'no Pod mounts one' };
}

/** Replaces the text of a kubelet, which has several lines and includes the Pod's network namespace. */
const refused = 'connection refused, nothing listens on the port';

const failureText = (connections: readonly ProbeConnection[]): string | undefined =>
  connections
    .flatMap(({ failure }) => failure ?? [])
    .map(({ kind, text }) => (kind === 'refused' ? refused : text))[0];

/** The reason why no handshake or Secret returned a certificate. */
function reasonWithoutCertificate(callout: Callout, facts: CertificateRowFacts): string {
  const probes = probesOf(callout, facts);
  const failure = failureText(probes === undefined ? [] : probeConnectionsOf(probes));
  if (failure !== undefined) return `no certificate was served: ${failure}`;
  const untried = [
    ...(probes?.notTried ?? []),
    ...(probes?.replicas ?? []).flatMap(({ notTried }) => notTried),
  ][0];
  if (untried !== undefined) return `${unreadText(untried)}: ${untried.detail ?? untried.why}`;
  if (isServiceBacked(callout)) {
    const key = keyOf(callout.client.service);
    if (facts.services.isAbsent(key)) return `Service ${key} does not exist`;
    const [csiSource] = (materialOf(callout, facts)?.sources ?? []).filter(({ kind }) => kind === 'CSI');
    return csiSource === undefined
      ? 'no Pod to probe, and no Secret with a serving certificate'
      : `no Pod was probed, and the certificate comes from ${csiSource.kind} ${csiSource.name}, which is not read`;
  }
  return 'the URL was not probed';
}

function stateOf(reachable: readonly CertificateChain[], callout: Callout): CertificateState {
  const verdicts = reachable.map(({ verdict }) => verdictText(verdict, callout).verdict);
  if (verdicts.length === 0 || verdicts.every((one) => one === undefined)) return 'unknown';
  if (verdicts.every((one) => one === 'rejected')) return 'rejected';
  return verdicts.includes('rejected') ? 'degraded' : 'accepted';
}

/** The certificates that the next call depends on: up to the CA if accepted, else the presented ones. */
function certificatesRequired(
  chains: readonly CertificateChain[],
  version: string | undefined,
): readonly Certificate[] {
  return chains.flatMap(({ verdict, presented }) =>
    verdict.outcome === 'accepted' && verdict.chain.length > 0
      ? verdict.chain
      : parseChain(presented, version).filter((found) => found !== undefined),
  );
}

const earliest = (certificates: readonly Certificate[]): Certificate | undefined =>
  certificates.toSorted((a, b) => a.notAfter.at - b.notAfter.at)[0];

/** A row of the table of `cert-check`: state, CA, source and expiry of a callout's certificates. */
export function calloutCertificates(callout: Callout, facts: CertificateRowFacts): CalloutCertificates {
  const { kind, configuration, webhook, client } = callout;
  const bundle = bundleText(callout, facts.version);
  const source = sourceText(callout, facts);
  const chains = knownChains(callout, facts);
  const reachable = reachableChains(chains);
  const refused = trustOf(callout, facts.version);
  const unreadable = refused?.kind === 'refused' ? refused.text : undefined;
  const verified = unreadable === undefined ? stateOf(reachable, callout) : 'rejected';
  const state = isVerified(callout) ? verified : 'accepted';
  const errors = reachable
    .map(({ verdict }) => verdictText(verdict, callout).error)
    .filter((text) => text !== undefined);
  const none =
    reachable.length === 0
      ? reasonWithoutCertificate(callout, facts)
      : 'the system roots of the API server decide';
  const why = unreadable ?? errors[0] ?? (state === 'unknown' ? none : undefined);
  const served = chains.filter(({ source }) => source === 'served');
  const first = earliest(certificatesRequired(reachable, facts.version));
  const probes = probesOf(callout, facts);
  return {
    kind,
    configuration,
    webhook,
    backend: {
      ...defined({ service: client.service, url: client.url }),
    },
    state,
    confidence: reachable[0]?.confidence ?? 'derived',
    ...(why === undefined ? {} : { why }),
    caBundle: completeText(bundle),
    keptIn: completeText(source),
    inBrief: { caBundle: bundle.words, keptIn: source.words },
    replicas: {
      total: Math.max(probes?.replicas.length ?? 0, served.length),
      served: served.length,
      accepted: served.filter(({ verdict }) => verdictText(verdict, callout).verdict === 'accepted').length,
    },
    ...(first === undefined ? {} : { firstExpiry: { at: first.notAfter.text, of: certificateName(first) } }),
    renewedBy: renewalOf(callout, facts).by,
  };
}
