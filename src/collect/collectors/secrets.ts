import { pemCertificates } from '../../apiserver/certificate/pem.ts';
import type { Lookup } from '../../facts/lookup.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { CertificateSecret, DataWriter } from '../../facts/objects/secret.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading, type Where } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const secretRights: readonly Right[] = [
  toRead(
    resources.secrets,
    ['get'],
    'backends',
    'serving certificates; keys are dropped as soon as they are read',
  ),
];

export const configMapRights: readonly Right[] = [
  toRead(resources.configMaps, ['get'], 'backends', 'serving certificates that are mounted from a ConfigMap'),
];

interface RawSecret {
  readonly metadata: Metadata;
  readonly type?: string;
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>;
}

interface RawConfigMap {
  readonly metadata: Metadata;
  /** Text. */
  readonly data?: Readonly<Record<string, string>>;
  /** In base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** Annotations that say who makes the certificate; others may hold the whole object. */
const telling = /^(cert-manager\.io|service\.(alpha|beta)\.openshift\.io)\//;

/** Those who own data of the Secret, the last to write first. */
const writersOf = ({ managedFields = [] }: Metadata): readonly DataWriter[] =>
  managedFields
    .filter(({ manager, fieldsV1 }) => manager !== undefined && fieldsV1?.['f:data'] !== undefined)
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))
    .map(({ manager = '', time }) => ({ manager, ...(time === undefined ? {} : { at: time }) }));

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** The certificates in a value as Go finds them there, and nothing else of it. */
const certificatesIn = (base64: string): string =>
  pemCertificates(Buffer.from(base64, 'base64').toString('latin1')).map(pemOf).join('');

/** Drops everything but key names and certificates; nothing secret passes this function. */
export function certificatesOnly(raw: RawSecret): CertificateSecret {
  const data = Object.entries(raw.data ?? {});
  const certificates = data.flatMap(([key, value]) => {
    const text = certificatesIn(value);
    return text === '' ? [] : [[key, text] as const];
  });
  const { annotations = {}, managedFields: _holds_all_names_of_fields, ...metadata } = raw.metadata;
  const kept = Object.entries(annotations).filter(([key]) => telling.test(key));
  const writers = writersOf(raw.metadata);
  return {
    metadata: { ...metadata, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
    ...(raw.type === undefined ? {} : { type: raw.type }),
    keys: data.map(([key]) => key),
    certificates: Object.fromEntries(certificates),
    ...(writers.length === 0 ? {} : { writers }),
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

async function certificatesOf<T>(
  keys: readonly string[],
  get: (name: string, where: Where) => Promise<Reading<T | undefined>>,
  asRaw: (object: T) => RawSecret,
  otherwise: string,
): Promise<Lookup<CertificateSecret>> {
  const readings = new Map(
    await Promise.all(
      keys.map(async (key): Promise<readonly [string, Reading<CertificateSecret | undefined>]> => {
        const [namespace = '', name = ''] = key.split('/');
        const reading = await get(name, { namespace });
        return [
          key,
          isRead(reading) && reading.value !== undefined
            ? { value: certificatesOnly(asRaw(reading.value)) }
            : (reading as Reading<undefined>),
        ];
      }),
    ),
  );
  return fromReadings(readings, notRequested(otherwise));
}

/** Single Secrets, by `namespace/name`. */
export const collectSecrets = (read: Attempts, keys: readonly string[]): Promise<Lookup<CertificateSecret>> =>
  certificatesOf(
    keys,
    (name, where) => read.get<RawSecret>(resources.secrets, name, where),
    (secret) => secret,
    'a Secret that no suspect replica mounts',
  );

/** Single ConfigMaps, by `namespace/name`; what is no certificate is dropped as in Secrets. */
export const collectConfigMaps = (
  read: Attempts,
  keys: readonly string[],
): Promise<Lookup<CertificateSecret>> =>
  certificatesOf(
    keys,
    (name, where) => read.get<RawConfigMap>(resources.configMaps, name, where),
    asSecret,
    'a ConfigMap that no replica takes its certificate from',
  );
