import type { Lookup } from '../../facts/lookup.ts';
import type { Certificate } from '../../facts/objects/certificate.ts';
import type { Right } from '../../facts/right.ts';
import type { ServedResources } from '../../facts/served-resources.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const certificateRights: readonly Right[] = [
  toRead(resources.certificates, ['list'], 'backends', 'who issues a serving certificate (cert-manager)'),
];

const { group, plural } = resources.certificates;

/** True where cert-manager is installed, as far as discovery could be read. */
const isServed = (served: Lookup<ServedResources>): boolean =>
  served.known('served') &&
  (served.get('served')?.resources.some((found) => found.group === group && found.resource === plural) ??
    false);

/** Certificates of cert-manager in the given namespaces; where it is not installed there are none. */
export async function collectCertificates(
  read: Attempts,
  served: Lookup<ServedResources>,
  namespaces: readonly string[],
): Promise<Lookup<readonly Certificate[]>> {
  const asked = isServed(served);
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
