import { X509Certificate } from 'node:crypto';
import { isVerified, trustOf } from '../../apiserver/certificate/anchors.ts';
import { isSelfIssued } from '../../apiserver/certificate/certificate.ts';
import { parseChain } from '../../apiserver/certificate/parse/parse-chain.ts';
import { pemCertificates, pemOf } from '../../apiserver/certificate/parse/pem.ts';
import { verifyServerCertificate } from '../../apiserver/certificate/verify/verify-server-certificate.ts';
import { serverHost } from '../../apiserver/routing/server-host.ts';
import { type Callout, calloutId, isAdmission, ofSameService, resourcesOf } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { certManager } from '../../facts/objects/cert-manager.ts';
import type { CertificateSecret } from '../../facts/objects/certificate-secret.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { isPodReady } from '../../facts/workloads/pod-state.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import { secretsOfVolumes } from '../../facts/workloads/volume-sources.ts';
import { copiedCa } from '../../products/ca-injectors.ts';
import { bundleRestorer } from '../../products/field-managers.ts';
import { rotatedSecret } from '../../products/serving-material.ts';
import { clientConfigEdit, serviceBehind, whoRevertsField } from '../backend.ts';
import { clientConfigKinds, defineRemedy } from '../remedy.ts';

interface TrustSource {
  /** `ca.crt of Secret shop/policy-tls`, `caBundle of policy.example.com`. */
  readonly from: string;
  /** PEM. */
  readonly ca: string;
  /** Absent for a CA that is in no Secret. */
  readonly secret?: CertificateSecret;
  /** Why the caBundle may not be what fixes the calls. */
  readonly unsure?: string;
  readonly warning?: string;
}

/** Keys of CAs in Secrets of webhooks, the most common first. */
const caKeys = ['ca.crt', 'ca.pem', 'ca-cert.pem', 'caCert', 'ca', 'root-cert.pem'];

type Read = Pick<Facts, 'services' | 'pods' | 'secrets' | 'certificates' | 'served'>;

/** Secrets that the Pods mount, `namespace/name`. */
function mounted(callout: Callout, facts: Read): readonly string[] {
  const service = serviceBehind(callout, facts);
  if (service === undefined) return [];
  const { namespace = '', name } = service.metadata;
  const key = keyOf({ namespace, name });
  const pods = facts.pods.getIfKnown(key) ?? [];
  return pods
    .flatMap(({ spec }) => secretsOfVolumes(spec.volumes))
    .map((secret) => keyOf({ namespace, name: secret }));
}

/** The Secret that the program of a known product fills, without a mount. */
function filled(callout: Callout): readonly string[] {
  const name = rotatedSecret(callout)?.secret;
  const namespace = callout.client.service?.namespace;
  return name === undefined || namespace === undefined ? [] : [keyOf({ namespace, name })];
}

/** The Secret that cert-manager's annotations name as the source of the CA. */
function injected({ metadata }: Callout, { certificates }: Read): readonly string[] {
  const secret = metadata.annotations?.[certManager.injectFromSecret];
  const source = metadata.annotations?.[certManager.injectFrom];
  const [namespace = '', name] = source?.split('/') ?? [];
  const known = certificates.getIfKnown(namespace) ?? [];
  const found = known.find((certificate) => certificate.metadata.name === name)?.spec.secretName;
  return [
    ...(secret === undefined ? [] : [secret]),
    ...(found === undefined ? [] : [keyOf({ namespace, name: found })]),
  ];
}

/** Why a CA does not stay in the caBundle: a CA injector that works copies another one. */
function replacedBy({ ca }: TrustSource, callout: Callout, facts: Read): string | undefined {
  const copied = copiedCa(callout, facts);
  if (copied === undefined) return undefined;
  const held = pemCertificates(copied.ca);
  return pemCertificates(ca).every((one) => held.some((other) => other.equals(one)))
    ? undefined
    : `${copied.injector} copies the CA of Secret ${copied.secret} again`;
}

/** The CA in a caBundle that is base64-encoded twice. */
function encodedTwice({ client: { caBundle = '' } }: Callout): readonly TrustSource[] {
  const decode = (text: string): string => Buffer.from(text, 'base64').toString('latin1');
  const once = decode(caBundle);
  // In most clusters every caBundle is PEM.
  const ca = once.startsWith('-----BEGIN') ? '' : decode(once);
  return pemCertificates(ca).length === 0 ? [] : [{ from: 'decoded previous caBundle', ca }];
}

/** True if a certificate is signed with its own key. Some programs name a CA like its certificate, after their Service. */
function isSelfSigned(der: Uint8Array): boolean {
  try {
    const certificate = new X509Certificate(Buffer.from(der));
    return certificate.verify(certificate.publicKey);
  } catch {
    return false;
  }
}

/** The self-signed certificates in the chains that Pods serve. A port-forward proves that it is the Pod. */
function servedRoots(served: readonly ServedChain[], version: string | undefined): readonly TrustSource[] {
  return served.flatMap(({ by, presented, isPod }) => {
    const last = presented.at(-1);
    const [root] = last === undefined || !isPod ? [] : parseChain([last], version);
    return last === undefined || root === undefined || !isSelfIssued(root) || !isSelfSigned(last)
      ? []
      : [
          {
            from: `self-signed certificate that Pod ${by} serves`,
            ca: pemOf(last),
            warning:
              'No Secret that was read contains this CA: after a restart, the Pods may serve another one.',
          },
        ];
  });
}

/** CAs of the CA injector's source, then of Secrets that the Pods mount or fill. */
function secretSources(callout: Callout, facts: Read): readonly TrustSource[] {
  const keys = [...new Set([...injected(callout, facts), ...mounted(callout, facts), ...filled(callout)])];
  return keys.flatMap((key): readonly TrustSource[] => {
    const secret = facts.secrets.getIfKnown(key);
    if (secret === undefined) return [];
    const at = caKeys.find((name) => secret.certificates[name] !== undefined);
    // A self-signed certificate is its own CA, without a separate key.
    const name = at ?? 'tls.crt';
    const ca = secret.certificates[name];
    return ca === undefined ? [] : [{ from: `${name} of Secret ${key}`, ca, secret }];
  });
}

/** True if another configuration has a webhook for the same resources: one of the two may be obsolete. */
const mayReplace = (callout: Callout, other: Callout): boolean =>
  isAdmission(callout) &&
  isAdmission(other) &&
  callout.kind === other.kind &&
  callout.configuration !== other.configuration &&
  resourcesOf(other).some((resource) => resourcesOf(callout).includes(resource));

/** The caBundles of other webhooks that call the same Service, besides those that may have replaced this one. */
function bundlesOfOthers(callout: Callout, facts: Pick<Facts, 'callouts'>): readonly TrustSource[] {
  const others = ofSameService(callout, facts).filter(
    (one) =>
      ![undefined, '', callout.client.caBundle].includes(one.client.caBundle) && !mayReplace(callout, one),
  );
  const distinct = new Map(others.map((one) => [one.client.caBundle ?? '', one]));
  return [...distinct].slice(0, mostBundles).map(([caBundle, { webhook, kind, configuration, ref }]) => {
    const isSame = kind === callout.kind && configuration === callout.configuration;
    const isFilled = (callout.client.caBundle ?? '') !== '';
    return {
      from: `caBundle of ${isSame ? webhook : `${ref.kind} ${configuration}`}`,
      ca: Buffer.from(caBundle, 'base64').toString('latin1'),
      ...(isSame || !isFilled
        ? {}
        : { unsure: 'this configuration may remain from an earlier installation' }),
    };
  });
}

/** Maximum number of caBundles of other webhooks that are verified. */
const mostBundles = 4;

/** A certificate chain of a server in DER, leaf first, and who serves it. */
interface ServedChain {
  readonly by: string;
  /** It was served over a port-forward to a Pod. */
  readonly isPod: boolean;
  readonly presented: readonly Uint8Array[];
}

/** The chains that Pods served to probes. Empty without probes. */
function servedChains(callout: Callout, { probes }: Pick<Facts, 'probes'>): readonly ServedChain[] {
  const id = calloutId(callout);
  const probed = probes.getIfKnown(id);
  const connections = [
    ...(probed?.replicas ?? []).flatMap(({ pod, dialogues: each }) =>
      each.map(({ way, handshake }) => ({
        by: pod ?? 'an endpoint',
        isPod: way === 'port-forward',
        handshake,
      })),
    ),
    { by: client(callout), isPod: false, handshake: probed?.url?.handshake },
  ];
  return connections.flatMap(({ by, isPod, handshake }) =>
    handshake === undefined || handshake.presented.length === 0
      ? []
      : [{ by, isPod, presented: handshake.presented }],
  );
}

const client = ({ client: { url } }: Callout): string => url ?? 'the server';

/**
 * The chains that the caBundle must verify: those that Pods serve now, and the one in the Secret, which they
 * serve after their next start; alternatively only those that they serve now.
 */
function demands({ secret }: TrustSource, seen: readonly ServedChain[]): readonly (readonly ServedChain[])[] {
  const leaf = secret?.certificates['tls.crt'];
  if (secret === undefined || leaf === undefined) return [seen];
  const by = `Secret ${secret.metadata.name}`;
  const next = { by, isPod: false, presented: pemCertificates(leaf) };
  return seen.length === 0 ? [[next]] : [[...seen, next], seen];
}

interface Bundle {
  /** PEM. */
  readonly pem: string;
  /** Completes `The caBundle of … is`. */
  readonly is: string;
}

/** The CA alone; otherwise added to the present bundle, for a renewal that some Pods have not loaded. */
function bundlesWith(
  { ca, from }: TrustSource,
  callout: Callout,
  version: string | undefined,
): readonly Bundle[] {
  const alone = { pem: ca, is: `the ${from}` };
  const present = trustOf(callout, version);
  if (present?.kind !== 'loaded') return [alone];
  const text = Buffer.from(callout.client.caBundle ?? '', 'base64').toString('latin1');
  return [alone, { pem: `${text.trimEnd()}\n${ca}`, is: `the previous caBundle and the ${from}` }];
}

/** The warning about a source without a CA, whose serving certificate is signed by another key. */
function pinned({ ca, secret, warning }: TrustSource, version: string | undefined): readonly string[] {
  if (secret === undefined) return warning === undefined ? [] : [warning];
  const [leaf] = parseChain(pemCertificates(ca).slice(0, 1), version);
  const isItsOwnCa = leaf === undefined || isSelfIssued(leaf);
  const isLeaf = ca === secret.certificates['tls.crt'];
  return isLeaf && !isItsOwnCa
    ? [
        `Secret ${secret.metadata.name} contains no CA: the caBundle is the serving certificate itself, and the API server rejects the next one.`,
      ]
    : [];
}

/** The reason that the API server would reject a chain with this bundle; undefined if it would accept all. */
function objection(
  callout: Callout,
  { pem }: Bundle,
  chains: readonly ServedChain[],
  { takenAt, version: serverVersion }: Pick<Facts, 'takenAt' | 'version'>,
): string | undefined {
  for (const { by, presented } of chains) {
    const verdict = verifyServerCertificate({
      presented,
      caBundle: Buffer.from(pem, 'latin1'),
      host: serverHost(callout) ?? '',
      now: new Date(takenAt),
      serverVersion,
    });
    if (verdict.outcome === 'accepted') continue;
    const why =
      verdict.outcome === 'rejected'
        ? (verdict.error ?? verdict.faults[0].text)
        : 'that depends on the system roots';
    return `the certificate of ${by} is not accepted: ${why}`;
  }
  return undefined;
}

/** True if no Pod of the backend is Ready: a caBundle alone does not fix the calls. */
function runsUnready(callout: Callout, facts: Pick<Facts, 'pods'>): boolean {
  const all = knownPods(callout, facts);
  return all.length > 0 && !all.some(isPodReady);
}

/** Why another caBundle may not fix the calls, or not for long. */
function doubt(callout: Callout, served: readonly ServedChain[], facts: Pick<Facts, 'pods'>) {
  if (served.length === 0 && runsUnready(callout, facts)) return 'the Pods are not Ready';
  const restorer = bundleRestorer(callout);
  return restorer && `${restorer} restores the declared caBundle`;
}

/** The caBundles with the CA of a source, each with the reason against it, if any. */
const candidatesOf = (
  source: TrustSource,
  callout: Callout,
  served: readonly ServedChain[],
  facts: Pick<Facts, 'takenAt' | 'version'>,
) =>
  demands(source, served).flatMap((chains) =>
    bundlesWith(source, callout, facts.version).map((bundle) => ({
      source,
      bundle,
      why:
        chains.length === 0
          ? 'the certificates that the Pods serve are unknown'
          : objection(callout, bundle, chains, facts),
    })),
  );

export const injectCaBundle = defineRemedy({
  meta: {
    id: 'inject-ca-bundle',
    title: 'Put the CA of the serving certificate into the caBundle',
    risk: 'safe',
    does: "Replaces the caBundle with the CA from the CA injector's source or from the Secret that the Pods mount or fill, or appends that CA. A caBundle that was encoded twice is decoded. Other sources are the caBundle of another webhook of the same Service, and the self-signed certificate that the Pods serve. It first verifies, by the rules of the API server, that the served certificates are then accepted.",
    leaves:
      'A CA injector or certificate rotator that does not work: the next rotation breaks the calls again.',
    answers: [
      'stale-ca-bundle',
      'ca-bundle-empty',
      'ca-bundle-expired',
      'ca-bundle-expiring',
      'ca-bundle-invalid',
      'ca-injection-broken',
      'secret-ca-differs-from-ca-bundle',
    ],
    leavesCauseOf: ['ca-injection-broken'],
    touches: [{ operation: 'patch', kinds: clientConfigKinds }],
  },
  about: 'callout',
  requires: ['callouts', 'services', 'pods', 'secrets', 'certificates', 'served', 'probes', 'version'],
  plan({ callout }, facts) {
    if (!isVerified(callout)) return undefined;
    const served = servedChains(callout, facts);
    const sources = [
      ...encodedTwice(callout),
      ...secretSources(callout, facts),
      ...bundlesOfOthers(callout, facts),
      ...servedRoots(served, facts.version),
    ];
    const candidates = sources.flatMap((source) => candidatesOf(source, callout, served, facts));
    const [first] = candidates;
    if (first === undefined) return undefined;
    const accepted = candidates.filter(({ why }) => why === undefined);
    const fitting = accepted.find((one) => one.source.unsure === undefined) ?? accepted[0];
    if (fitting === undefined) return `The ${first.source.from} would not fix the calls: ${first.why}`;
    const { source, bundle } = fitting;
    const after = Buffer.from(bundle.pem, 'latin1').toString('base64');
    const before = callout.client.caBundle;
    if (after === before) return undefined;
    return {
      summary: `The caBundle of ${callout.webhook} is ${bundle.is}`,
      edits: [clientConfigEdit(callout, 'caBundle', before, after)],
      unsure: doubt(callout, served, facts) ?? source.unsure ?? replacedBy(source, callout, facts),
      warnings: [
        served.length === 0 && source.secret !== undefined
          ? `The certificates that the Pods serve are unknown: this is based on Secret ${source.secret.metadata.name}, which they mount.`
          : undefined,
        ...pinned(source, facts.version),
        ...whoRevertsField(callout, 'caBundle'),
      ],
    };
  },
});
