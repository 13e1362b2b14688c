import type { Lookup } from '../../facts/lookup.ts';
import type { Certificate } from '../../facts/objects/certificate.ts';
import { type Issuer, issuerKey, issuerOf } from '../../facts/objects/issuer.ts';
import type { Right } from '../../facts/right.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { Attempts, Reading } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { isServed } from './certificates.ts';
import { fromReadings, notRequested } from './readings.ts';

const use = 'whether the issuer of a serving certificate can issue (cert-manager)';

export const issuerRights: readonly Right[] = [
  toRead(resources.issuers, ['get'], 'backends', use),
  toRead(resources.clusterIssuers, ['get'], 'cluster', use),
];

/** The issuers that Certificates name, once each; where cert-manager does not serve them there are none. */
export async function collectIssuers(
  read: Attempts,
  served: Lookup<ServedResources>,
  certificates: readonly Certificate[],
): Promise<Lookup<Issuer>> {
  const named = new Map(
    certificates.flatMap(issuerOf).flatMap((ref) => (ref ? [[issuerKey(ref), ref]] : [])),
  );
  const readings = new Map(
    await Promise.all(
      [...named].map(async ([key, { kind, name, namespace }]) => {
        const resource = kind === 'Issuer' ? resources.issuers : resources.clusterIssuers;
        const where = namespace === undefined ? {} : { namespace };
        const reading: Reading<Issuer | undefined> = isServed(served, resource)
          ? await read.get<Issuer>(resource, name, where)
          : { value: undefined };
        return [key, reading] as const;
      }),
    ),
  );
  return fromReadings(readings, notRequested('an issuer of which no serving certificate is ordered'));
}
