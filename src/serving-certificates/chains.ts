import { isVerified, trustOf } from '../apiserver/certificate/anchors.ts';
import type { Certificate } from '../apiserver/certificate/certificate.ts';
import {
  type CertificateVerdict,
  verifyServerCertificate,
} from '../apiserver/certificate/verify/verify-server-certificate.ts';
import { serverTime } from '../apiserver/connection/probed-servers.ts';
import { serverHost } from '../apiserver/routing/server-host.ts';
import { derive } from '../basics/derive.ts';
import { type Callout, calloutId, clientConfigEvidence, isServiceBacked } from '../facts/callout.ts';
import type { Confidence, Evidence } from '../facts/evidence.ts';
import { keyOf, type ObjectRef, refOf } from '../facts/object-ref.ts';
import type { ProbeConnection } from '../facts/probes.ts';
import type { Facts, World } from '../facts/snapshot.ts';
import { ifKnown, NotKnown } from '../facts/unread.ts';
import { materialFacts, servingSecret } from './serving-secret.ts';

/** Webhooks and APIServices whose serving certificate the API server verifies. */
export const verified = ({ callouts }: Pick<Facts, 'callouts'>): readonly Callout[] =>
  callouts.filter(isVerified);

/** The anchors of a bundle that can be parsed; none for a bundle that cannot, and for the system roots. */
export function anchorsOf(callout: Callout, version: string | undefined): readonly Certificate[] {
  const trust = trustOf(callout, version);
  return trust?.kind === 'loaded' ? trust.certificates : [];
}

/** The display name of a certificate: its common name, else its organization, else its serial number. */
export const certificateName = ({ subject, serial }: Certificate): string =>
  subject.commonName || (subject.organizations[0] ?? `serial ${serial.toString(16)}`);

/** The date of a time in a certificate. */
export const dayOf = ({ text }: { readonly text: string }): string => text.slice(0, 10);

/** The time since which all of them have been expired, RFC 3339; undefined if there are none. */
export function expiredSince(certificates: readonly Certificate[]): string | undefined {
  const ends = certificates.map(({ notAfter }) => notAfter.at);
  return ends.length === 0 ? undefined : new Date(Math.max(...ends)).toISOString();
}

/** Evidence for the validity period of certificates in the bundle. */
export const validityEvidence = (
  callout: Callout,
  certificates: readonly Certificate[],
): readonly Evidence[] =>
  certificates.map((certificate) =>
    clientConfigEvidence(
      callout,
      'caBundle',
      `${certificateName(certificate)}: notBefore ${certificate.notBefore.text}, notAfter ${certificate.notAfter.text}`,
    ),
  );

/** The facts that decide which certificates a callout has, and whether the API server accepts them. */
export const chainFacts = ['callouts', 'version', 'clock', 'probes', ...materialFacts] as const;
export type ChainFacts = World<(typeof chainFacts)[number]>;

/** One chain that the server of a webhook or APIService presents, or would present after its next start. */
export interface CertificateChain {
  /** `served`: received in a handshake. `secret`: content of the Secret or ConfigMap that the Pods mount. */
  readonly source: 'served' | 'secret';
  readonly confidence: Confidence;
  readonly pod?: string;
  readonly endpoint?: string;
  readonly url?: string;
  /** Calls reach its Pod. */
  readonly ready: boolean;
  /** DER, the serving certificate first. */
  readonly presented: readonly Uint8Array[];
  readonly verdict: CertificateVerdict;
  /** The object that presents or contains it. */
  readonly object: ObjectRef;
  readonly field: string;
}

/** Verifies a chain for this webhook as the API server does, at the time of the API server's clock. */
export function verdictOn(
  callout: Callout,
  presented: readonly Uint8Array[],
  facts: World<'version' | 'clock'>,
): CertificateVerdict {
  if (!isVerified(callout)) return { outcome: 'accepted', chain: [] };
  const { version } = facts;
  const caBundle = trustOf(callout, version)?.kind === 'system-roots' ? undefined : callout.client.caBundle;
  return verifyServerCertificate({
    presented,
    caBundle,
    host: serverHost(callout) ?? '',
    now: new Date(serverTime(facts)),
    serverVersion: version,
  });
}

const handshakeIn = (connections: readonly ProbeConnection[]) =>
  connections.flatMap(({ handshake }) => handshake ?? []).find(({ presented }) => presented.length > 0);

type PresentedChain = Omit<CertificateChain, 'verdict'>;

function presentedToProbes(callout: Callout, { probes }: Pick<Facts, 'probes'>): readonly PresentedChain[] {
  const id = calloutId(callout);
  const found = probes.getIfKnown(id);
  if (found === undefined) return [];
  const served = { source: 'served', confidence: 'observed', field: 'served certificate' } as const;
  const { namespace } = callout.client.service ?? {};
  const replicas = found.replicas.flatMap(
    ({ pod, endpoint, ready, dialogues }): readonly PresentedChain[] => {
      const handshake = handshakeIn(dialogues);
      if (handshake === undefined) return [];
      const where = pod === undefined ? {} : { pod };
      const object = pod === undefined ? callout.ref : refOf('Pod', { namespace, name: pod });
      return [
        { ...served, ...where, ...(endpoint && { endpoint }), ready, presented: handshake.presented, object },
      ];
    },
  );
  const atUrl = found.url === undefined ? undefined : handshakeIn([found.url]);
  if (atUrl === undefined) return replicas;
  const url = callout.client.url ?? '';
  return [...replicas, { ...served, url, ready: true, presented: atUrl.presented, object: callout.ref }];
}

function storedInSecret(callout: Callout, facts: ChainFacts): readonly PresentedChain[] {
  const serving = servingSecret(callout, facts);
  if (serving?.unread !== undefined) throw new NotKnown(serving.unread);
  if (serving === undefined || serving.chain.length === 0) return [];
  const { kind, namespace, name, certificateKey, chain } = serving;
  return [
    {
      source: 'secret',
      confidence: 'derived',
      ready: true,
      presented: chain,
      object: { kind, namespace, name },
      field: `data[${certificateKey}]`,
    },
  ];
}

type ServedFacts = World<'probes' | 'version' | 'clock'>;

const withVerdict =
  (callout: Callout, facts: ServedFacts) =>
  (one: PresentedChain): CertificateChain => ({ ...one, verdict: verdictOn(callout, one.presented, facts) });

/** The chains that probes received; empty without a probe. */
export const probedChains = (callout: Callout, facts: ServedFacts): readonly CertificateChain[] =>
  presentedToProbes(callout, facts).map(withVerdict(callout, facts));

const findChains = derive([...chainFacts, 'takenAt'], (facts: ChainFacts, callout: Callout) => {
  const served = probedChains(callout, facts);
  return served.length > 0 ? served : storedInSecret(callout, facts).map(withVerdict(callout, facts));
});

/**
 * Returns the chains of a webhook or APIService, each with the API server's verdict: those that probes
 * received, else the one in the Secret that the Pods mount. Throws NotKnown if that could not be read.
 */
export const chainsOf = (callout: Callout, facts: ChainFacts): readonly CertificateChain[] =>
  findChains(facts, callout);

/** Returns the same chains; empty if they could not be read. */
export const knownChains = (callout: Callout, facts: ChainFacts): readonly CertificateChain[] =>
  ifKnown(() => chainsOf(callout, facts), []);

/** Webhooks and APIServices whose certificates were examined: a probe ran, or their Pods were read. */
export const withExaminedCertificates = derive(
  ['callouts', 'probes', 'pods'],
  ({ callouts, probes, pods }: Pick<Facts, 'callouts' | 'probes' | 'pods'>): readonly Callout[] =>
    callouts.filter((callout) => {
      if (!isVerified(callout)) return false;
      const id = calloutId(callout);
      if (probes.getIfKnown(id) !== undefined) return true;
      return isServiceBacked(callout) && pods.why(keyOf(callout.client.service))?.why !== 'not-requested';
    }),
);

/** The chains that a call can reach: those of ready replicas, else all. */
export function reachableChains(chains: readonly CertificateChain[]): readonly CertificateChain[] {
  const ready = chains.filter((chain) => chain.ready);
  return ready.length > 0 ? ready : chains;
}
