import { keyOf } from '../../../facts/object-ref.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import { resources, toRead } from '../../../facts/resource.ts';
import { readMetadata } from '../../attempts.ts';
import { defineCollector } from '../../collector.ts';

/** Returns the claims of a Pod without a node: a claim that is not bound prevents scheduling. */
const volumeClaimsOf = ({ metadata: { namespace }, spec, status }: Pod): readonly string[] =>
  spec.nodeName !== undefined || status.phase !== 'Pending'
    ? []
    : (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
        claim === undefined ? [] : [keyOf({ namespace, name: claim.claimName })],
      );

export const persistentVolumeClaims = defineCollector({
  fact: 'persistentVolumeClaims',
  needs: ['pods'],
  permissions: [
    toRead(
      resources.PersistentVolumeClaim,
      ['get'],
      'backends',
      'PersistentVolumeClaims that a Pod waits for (metadata only)',
    ),
  ],
  atMost: 10,
  otherwise: 'a claim that no suspect replica waits for',
  wants: ({ pods }) => pods.all().flat().flatMap(volumeClaimsOf),
  readEach: (access, key) => readMetadata(access, resources.PersistentVolumeClaim, key),
});
