import type { Lookup } from '../../facts/lookup.ts';
import type { Certificate } from '../../facts/objects/certificate.ts';
import type { Right } from '../../facts/right.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { Attempts } from '../attempts.ts';
import { type Resource, resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const certificateRights: readonly Right[] = [
  toRead(resources.certificates, ['list'], 'backends', 'who issues a serving certificate (cert-manager)'),
];

/** True where the API server serves it, as far as discovery could be read. */
export const isServed = (served: Lookup<ServedResources>, { group, plural }: Resource): boolean =>
  served.known('served') &&
  (served.get('served')?.resources.some((found) => found.group === group && found.resource === plural) ??
    false);

/** Certificates of cert-manager in the given namespaces; where it is not installed there are none. */
export async function collectCertificates(
  read: Attempts,
  served: Lookup<ServedResources>,
  namespaces: readonly string[],
): Promise<Lookup<readonly Certificate[]>> {
  const asked = isServed(served, resources.certificates);
  const readings = new Map(
    await Promise.all(
      namespaces.map(
        async (namespace) =>
          [
            namespace,
            asked ? await read.list<Certificate>(resources.certificates, { namespace }) : { value: [] },
          ] as const,
      ),
    ),
  );
  return fromReadings(
    readings,
    notRequested('Certificates of a namespace where no replica waits for a Secret'),
  );
}
