import type { Callout } from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { CertificateSecret } from '../facts/objects/secret.ts';
import type { Facts } from '../facts/snapshot.ts';
import { serviceBehind } from './backend.ts';

/** A CA in the cluster, and its location. */
export interface TrustSource {
  /** `ca.crt of Secret shop/policy-tls`. */
  readonly from: string;
  /** PEM. */
  readonly ca: string;
  readonly secret: CertificateSecret;
}

/** Keys of CAs in Secrets of webhooks, the most common first. */
const caKeys = ['ca.crt', 'ca.pem', 'ca-cert.pem', 'caCert', 'ca', 'root-cert.pem'];

type Read = Pick<Facts, 'services' | 'pods' | 'secrets' | 'certificates'>;

/** Secrets that the Pods mount, `namespace/name`. */
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

/** The Secret that cert-manager's annotations name as the source of the CA. */
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

/**
 * CAs for a webhook that were read: the CA injector's source first, then Secrets that the Pods mount, without
 * duplicates.
 */
export function trustSources(callout: Callout, facts: Read): readonly TrustSource[] {
  const keys = [...new Set([...injected(callout, facts), ...mounted(callout, facts)])];
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
