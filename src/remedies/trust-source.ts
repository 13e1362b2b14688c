import type { Callout } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { CertificateSecret } from '../facts/objects/secret.ts';
import type { Facts } from '../facts/snapshot.ts';
import { serviceBehind } from './backend.ts';

/** A CA that stands in the cluster, and where. */
export interface TrustSource {
  /** `ca.crt of Secret shop/policy-tls`. */
  readonly from: string;
  /** PEM. */
  readonly ca: string;
  readonly secret: CertificateSecret;
}

/** Keys under which CAs stand in Secrets of webhooks, the usual one first. */
const caKeys = ['ca.crt', 'ca.pem', 'ca-cert.pem', 'caCert', 'ca', 'root-cert.pem'];

type Read = Pick<Facts, 'services' | 'pods' | 'secrets' | 'certificates'>;

/** Names of Secrets that the replicas mount, `namespace/name`. */
function mounted(callout: Callout, facts: Read): readonly string[] {
  const service = serviceBehind(callout, facts);
  if (service === undefined) return [];
  const { namespace = '', name } = service.metadata;
  const key = keyOf({ namespace, name });
  const pods = facts.pods.getIfKnown(key) ?? [];
  return pods
    .flatMap(({ spec }) => spec.volumes ?? [])
    .flatMap(({ secret, projected }) => [
      secret?.secretName,
      ...(projected?.sources ?? []).map((source) => source.secret?.name),
    ])
    .flatMap((secretName) => (secretName === undefined ? [] : [keyOf({ namespace, name: secretName })]));
}

/** The Secret that cert-manager was told to take the CA from. */
function injected({ metadata }: Callout, { certificates }: Read): readonly string[] {
  const secret = metadata.annotations?.['cert-manager.io/inject-ca-from-secret'];
  const source = metadata.annotations?.['cert-manager.io/inject-ca-from'];
  const [namespace = '', name] = source?.split('/') ?? [];
  const known = certificates.getIfKnown(namespace) ?? [];
  const found = known.find((certificate) => certificate.metadata.name === name)?.spec.secretName;
  return [
    ...(secret === undefined ? [] : [secret]),
    ...(found === undefined ? [] : [keyOf({ namespace, name: found })]),
  ];
}

/** CAs for a callout that were read: the injector's source first, then Secrets that the replicas mount, each once. */
export function trustSources(callout: Callout, facts: Read): readonly TrustSource[] {
  const keys = [...new Set([...injected(callout, facts), ...mounted(callout, facts)])];
  return keys.flatMap((key): readonly TrustSource[] => {
    const secret = facts.secrets.getIfKnown(key);
    if (secret === undefined) return [];
    const at = caKeys.find((name) => secret.certificates[name] !== undefined);
    // A certificate that signed itself is its own authority, and stands alone.
    const name = at ?? 'tls.crt';
    const ca = secret.certificates[name];
    return ca === undefined ? [] : [{ from: `${name} of Secret ${key}`, ca, secret }];
  });
}
