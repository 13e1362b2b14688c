import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, metadataOnly } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const claimRights: readonly Right[] = [
  toRead(
    resources.persistentVolumeClaims,
    ['get'],
    'backends',
    'who should make the volume that a replica waits for (metadata alone)',
  ),
];

/** Claims of a Pod that no node has: one that is not bound keeps it there. */
export const claimsOf = ({ metadata: { namespace }, spec, status }: Pod): readonly string[] =>
  spec.nodeName !== undefined || status.phase !== 'Pending'
    ? []
    : (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim === undefined ? [] : [keyOf({ namespace, name: claim.claimName })],
      );

/** The metadata of single claims, by `namespace/name`. */
export async function collectPersistentVolumeClaims(
  read: Attempts,
  keys: readonly string[],
): Promise<Lookup<Metadata>> {
  const readings = await Promise.all(
    keys.map(async (key) => {
      const [namespace = '', name = ''] = key.split('/');
      const where = { namespace, accept: metadataOnly };
      const reading = await read.get<{ readonly metadata: Metadata }>(
        resources.persistentVolumeClaims,
        name,
        where,
      );
      return [key, isRead(reading) ? { value: reading.value?.metadata } : reading] as const;
    }),
  );
  return fromReadings(new Map(readings), notRequested('a claim that no suspect replica waits for'));
}
