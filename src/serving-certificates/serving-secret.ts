import { pemCertificates } from '../apiserver/certificate/parse/pem.ts';
import { verifyServerCertificate } from '../apiserver/certificate/verify/verify-server-certificate.ts';
import { proxiedPortOf } from '../apiserver/routing/route.ts';
import { serverHost } from '../apiserver/routing/server-host.ts';
import { derive } from '../basics/derive.ts';
import { type Callout, isServiceBacked } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import { type CertificateSecret, isNameOfAuthority } from '../facts/objects/certificate-secret.ts';
import type { ServingSource } from '../facts/objects/serving-source.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Unread } from '../facts/unread.ts';
import { replicaPods } from '../facts/workloads/replicas.ts';
import { type ServingMaterial, servingMaterial } from '../products/serving-material.ts';

/** The facts that decide the source of a serving certificate. */
export const materialFacts = ['services', 'pods', 'secrets', 'configMaps'] as const;

/** The facts of {@link materialFacts}, and the version, which decides how Go parses certificates. */
export type MaterialFacts = Pick<Facts, (typeof materialFacts)[number] | 'version'>;

type MountingFacts = Pick<Facts, 'services' | 'pods'>;

const findMaterial = derive(['services', 'pods'], ({ services, pods }: MountingFacts, callout: Callout) => {
  if (!isServiceBacked(callout)) return undefined;
  const { service: reference } = callout.client;
  const key = keyOf(reference);
  const service = services.getIfKnown(key);
  if (service === undefined || !pods.known(key)) return undefined;
  const port = proxiedPortOf(service, reference.port)?.targetPort ?? reference.port;
  return servingMaterial(callout, replicaPods(pods.get(key) ?? []), port);
});

/** The source of the serving certificate of a webhook or APIService; undefined if its Pods were not read. */
export const materialOf = (callout: Callout, facts: MountingFacts): ServingMaterial | undefined =>
  findMaterial(facts, callout);

/** One Secret, or ConfigMap, that may contain the certificate that Pods serve. */
export interface ServingSecret {
  readonly kind: 'Secret' | 'ConfigMap';
  /** `namespace/name`. */
  readonly key: string;
  /** `Secret namespace/name`. */
  readonly secretOrConfigMap: string;
  readonly namespace: string;
  readonly name: string;
  /** The volume with which Pods mount it; absent if only the product reads it through the API. */
  readonly source?: ServingSource;
  /** Undefined: it does not exist. */
  readonly secret: CertificateSecret | undefined;
  readonly unread?: Unread;
  readonly certificateKey?: string;
  /** DER, the serving certificate first; empty if the Secret has none. */
  readonly chain: readonly Buffer[];
}

const conventional = ['tls.crt', 'server-cert.pem', 'cert.pem', 'cert', 'server.crt', 'serving.crt'];

/** The key of the serving certificate: the configured one, the usual one, else the first that is not a CA. */
function servedKey(secret: CertificateSecret, named: string | undefined): string | undefined {
  const { certificates } = secret;
  if (named !== undefined) return certificates[named] === undefined ? undefined : named;
  return (
    conventional.find((key) => certificates[key] !== undefined) ??
    Object.keys(certificates).find((key) => !isNameOfAuthority(key))
  );
}

/** The serving material without the parts that are specific to one webhook or APIService. */
type StoredMaterial = Pick<ServingMaterial, 'secrets' | 'configMaps' | 'sources'> & {
  readonly namespace: string;
  readonly authorityOnly: boolean;
};

function read(
  { sources, authorityOnly }: StoredMaterial,
  { kind, namespace, name }: Pick<ServingSecret, 'kind' | 'namespace' | 'name'>,
  facts: Pick<Facts, 'secrets' | 'configMaps'>,
): ServingSecret {
  const key = keyOf({ namespace, name });
  const source = sources.find((one) => one.kind === kind && one.name === name);
  const about = {
    kind,
    key,
    secretOrConfigMap: `${kind} ${key}`,
    namespace,
    name,
    ...(source === undefined ? {} : { source }),
  };
  const objects = kind === 'Secret' ? facts.secrets : facts.configMaps;
  const unread = objects.why(key);
  if (unread !== undefined) return { ...about, secret: undefined, unread, chain: [] };
  const secret = objects.get(key);
  if (secret === undefined) return { ...about, secret, chain: [] };
  const certificateKey =
    source === undefined && authorityOnly ? undefined : servedKey(secret, source?.certificateKey);
  if (certificateKey === undefined) return { ...about, secret, chain: [] };
  return {
    ...about,
    secret,
    certificateKey,
    chain: pemCertificates(secret.certificates[certificateKey] ?? ''),
  };
}

const fits = (host: string, { chain }: ServingSecret, version: string | undefined): boolean => {
  // With an empty bundle, only the certificate itself is verified.
  const verdict = verifyServerCertificate({
    presented: chain,
    caBundle: '',
    host,
    now: new Date(0),
    serverVersion: version,
  });
  return (
    verdict.outcome !== 'rejected' ||
    !verdict.faults.some(({ kind }) => kind === 'name-mismatch' || kind === 'legacy-common-name')
  );
};

/** Cached: webhooks and APIServices of the same backend and product share the result. */
const readAll = derive(
  ['secrets', 'configMaps'],
  (facts: Pick<Facts, 'secrets' | 'configMaps'>, asked: string): readonly ServingSecret[] => {
    const material: StoredMaterial = JSON.parse(asked);
    const { namespace, secrets, configMaps } = material;
    return [
      ...secrets.map((name) => read(material, { kind: 'Secret', namespace, name }, facts)),
      ...configMaps.map((name) => read(material, { kind: 'ConfigMap', namespace, name }, facts)),
    ];
  },
);

/** Returns every Secret, and every ConfigMap, that may contain the serving certificate. */
export function servingSecrets(
  callout: Callout,
  facts: Omit<MaterialFacts, 'version'>,
): readonly ServingSecret[] {
  const material = materialOf(callout, facts);
  if (material === undefined || !isServiceBacked(callout)) return [];
  const { secrets, configMaps, sources, rotation } = material;
  const { namespace } = callout.client.service;
  const authorityOnly = rotation?.authorityOnly === true;
  return readAll(facts, JSON.stringify({ namespace, secrets, configMaps, sources, authorityOnly }));
}

/**
 * Returns the Secret, or ConfigMap, with the serving certificate, if it is unambiguous: if several are
 * mounted, the only one whose certificate is for the expected server name.
 */
export function servingSecret(callout: Callout, facts: MaterialFacts): ServingSecret | undefined {
  const all = servingSecrets(callout, facts);
  const [only, ...others] = all;
  if (others.length === 0) return only;
  if (all.some(({ unread }) => unread !== undefined)) return undefined;
  const host = serverHost(callout) ?? '';
  const fitting = all.filter((one) => one.chain.length > 0 && fits(host, one, facts.version));
  return fitting.length === 1 ? fitting[0] : undefined;
}
