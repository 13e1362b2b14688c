import { pemCertificates } from '../../apiserver/certificate/pem.ts';
import type { Lookup } from '../../facts/lookup.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { CertificateSecret, DataWriter } from '../../facts/objects/secret.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
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

interface RawSecret {
  readonly metadata: Metadata;
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
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

/** Single Secrets, by `namespace/name`. */
export async function collectSecrets(
  read: Attempts,
  keys: readonly string[],
): Promise<Lookup<CertificateSecret>> {
  const readings = new Map(
    await Promise.all(
      keys.map(async (key): Promise<readonly [string, Reading<CertificateSecret | undefined>]> => {
        const [namespace = '', name = ''] = key.split('/');
        const reading = await read.get<RawSecret>(resources.secrets, name, { namespace });
        return [
          key,
          isRead(reading) && reading.value !== undefined
            ? { value: certificatesOnly(reading.value) }
            : (reading as Reading<undefined>),
        ];
      }),
    ),
  );
  return fromReadings(readings, notRequested('a Secret that no suspect replica mounts'));
}
