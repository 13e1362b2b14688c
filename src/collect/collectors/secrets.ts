import type { Lookup } from '../../facts/lookup.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { CertificateSecret } from '../../facts/objects/secret.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { resources } from '../resource.ts';
import { fromReadings, notRequested } from './readings.ts';

interface RawSecret {
  readonly metadata: Metadata;
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const onlyCertificates = /^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

/** Drops everything but key names and certificates; nothing secret passes this function. */
export function certificatesOnly(raw: RawSecret): CertificateSecret {
  const data = Object.entries(raw.data ?? {});
  const certificates = data.flatMap(([key, value]) => {
    const text = Buffer.from(value, 'base64').toString('latin1');
    return onlyCertificates.test(text) ? [[key, text] as const] : [];
  });
  const { annotations: _may_hold_the_whole_object, managedFields: _unused, ...metadata } = raw.metadata;
  return {
    metadata,
    ...(raw.type === undefined ? {} : { type: raw.type }),
    keys: data.map(([key]) => key),
    certificates: Object.fromEntries(certificates),
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
