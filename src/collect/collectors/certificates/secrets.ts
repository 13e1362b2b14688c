import { pemCertificates, pemOf } from '../../../apiserver/certificate/parse/pem.ts';
import { missingSecretIn } from '../../../apiserver/sentences/logs/missing-secret.ts';
import { ofKey } from '../../../facts/object-ref.ts';
import type { CertificateSecret, DataWriter } from '../../../facts/objects/certificate-secret.ts';
import { lastWritersFirst, type Metadata } from '../../../facts/objects/metadata.ts';
import { type Resource, resources, toRead } from '../../../facts/resource.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { isRead, type Reading } from '../../attempts.ts';
import { type Access, defineCollector } from '../../collector.ts';
import { certificateFacts, certificatesToRead, secretsAwaited } from '../../suspect-certificates.ts';

/** core/v1 Secret, in the shape of the API. */
export interface RawSecret {
  readonly metadata: Metadata;
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
}

interface RawConfigMap {
  readonly metadata: Metadata;
  /** Plain text. */
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** Annotations that show what creates the certificate; other annotations may contain the complete object. */
const relevant = /^(cert-manager\.io|service\.(alpha|beta)\.openshift\.io)\//;

/** Returns the field managers of the Secret's data, the latest first. */
const writersOf = ({ managedFields = [] }: Metadata): readonly DataWriter[] =>
  lastWritersFirst(managedFields)
    .filter(({ manager, fieldsV1 }) => manager !== undefined && fieldsV1?.['f:data'] !== undefined)
    .map(({ manager = '', time }) => ({ manager, ...(time === undefined ? {} : { at: time }) }));

/** The certificates in a value, as PEM. */
const certificatesIn = (value: string): string =>
  pemCertificates(Buffer.from(value, 'base64').toString('latin1')).map(pemOf).join('');

/** Drops everything except key names and certificates; no secret data passes this function. */
export function certificatesOnly(raw: RawSecret): CertificateSecret {
  const data = Object.entries(raw.data ?? {});
  const certificates = data.flatMap(([key, value]) => {
    const text = certificatesIn(value);
    return text === '' ? [] : [[key, text] as const];
  });
  const { annotations = {}, managedFields: _holds_all_names_of_fields, ...metadata } = raw.metadata;
  const kept = Object.entries(annotations).filter(([key]) => relevant.test(key));
  const writers = writersOf(raw.metadata);
  return {
    metadata: { ...metadata, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
    ...(raw.type === undefined ? {} : { type: raw.type }),
    keys: data.map(([key]) => key),
    certificates: Object.fromEntries(certificates),
    ...(writers.length === 0 ? {} : { writers }),
  };
}

/**
 * A Secret as the API has it, without private data: of the values only certificates are left, of the annotations only
 * those that this program uses. For programs that keep what they have read.
 */
export function certificateDataOnly(raw: RawSecret): RawSecret {
  const { metadata, type, data } = raw;
  // A value of another kind is refused where it is used.
  if (metadata === null || typeof metadata !== 'object') return raw;
  const { annotations, ...others } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => relevant.test(key));
  const certificates = Object.entries(data ?? {}).map(([key, value]) => [
    key,
    typeof value === 'string' ? base64(certificatesIn(value)) : value,
  ]);
  return {
    metadata: { ...others, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
    ...(type === undefined ? {} : { type }),
    ...(data === undefined ? {} : { data: Object.fromEntries(certificates) }),
  };
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

const asSecret = ({ metadata, data = {}, binaryData = {} }: RawConfigMap): RawSecret => ({
  metadata,
  data: {
    ...Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
    ...binaryData,
  },
});

/** Gets one object, by `namespace/name`, reduced to what this program may read. */
async function reduced<T>(
  access: Access,
  resource: Resource,
  key: string,
  asRaw: (object: T) => RawSecret,
): Promise<Reading<CertificateSecret | undefined>> {
  const { namespace, name } = ofKey(key);
  const reading = await access.get<T>(resource, name, { namespace });
  return isRead(reading) ? { value: reading.value && certificatesOnly(asRaw(reading.value)) } : reading;
}

/** Returns the Secret of a cert-manager Certificate; both as `namespace/name`. */
function secretOf(key: string, certificates: Facts['certificates']): readonly string[] {
  const { namespace, name } = ofKey(key);
  const found = certificates.getIfKnown(namespace)?.find(({ metadata }) => metadata.name === name);
  return found?.spec.secretName === undefined ? [] : [`${namespace}/${found.spec.secretName}`];
}

/** Maximum number of Secrets to read because one log names them: a log can contain anything. */
const mostPerLog = 3;

/** Secrets that a program does not find, by its log, which can be older than the Secret. */
const loggedAsMissing = ({ logs }: Pick<Facts, 'logs'>): readonly string[] =>
  [...logs.entries()].flatMap(([key, log]) =>
    [...new Set(log.split('\n').flatMap((line) => missingSecretIn(line) ?? []))]
      .slice(0, mostPerLog)
      .map((name) => `${key.split('/', 1)[0]}/${name}`),
  );

export const secrets = defineCollector({
  fact: 'secrets',
  topics: ['failures', 'certificates'],
  needs: certificateFacts,
  grows: ['certificates', 'logs'],
  permissions: [
    toRead(
      resources.Secret,
      ['get'],
      'backends',
      'serving certificates; keys are dropped as soon as they are read',
    ),
  ],
  otherwise: 'a Secret that no suspect replica mounts',
  wants(facts, readOptions) {
    const kept = certificatesToRead(facts, readOptions);
    const named = kept.certificates.flatMap((key) => secretOf(key, facts.certificates));
    return [...secretsAwaited(facts, readOptions), ...kept.secrets, ...named, ...loggedAsMissing(facts)];
  },
  readEach: (access, key) => reduced(access, resources.Secret, key, (secret: RawSecret) => secret),
});

export const configMaps = defineCollector({
  fact: 'configMaps',
  topics: ['certificates'],
  needs: certificateFacts,
  permissions: [
    toRead(resources.ConfigMap, ['get'], 'backends', 'serving certificates in mounted ConfigMaps'),
  ],
  otherwise: 'a ConfigMap that contains no serving certificate',
  wants: (facts, readOptions) => certificatesToRead(facts, readOptions).configMaps,
  readEach: (access, key) => reduced(access, resources.ConfigMap, key, asSecret),
});
