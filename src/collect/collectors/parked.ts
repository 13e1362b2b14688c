import type { Lookup } from '../../facts/lookup.ts';
import { keyOf, type ObjectRef } from '../../facts/object-ref.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, metadataOnly } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const parkedRights: readonly Right[] = [
  toRead(resources.pods, ['list'], 'cluster', 'Pods that a webhook keeps from being scheduled'),
  toRead(
    resources.configMaps,
    ['get'],
    'backends',
    'whether what such Pods wait for exists (metadata alone)',
  ),
  toRead(resources.secrets, ['get'], 'backends', 'whether what such Pods wait for exists (metadata alone)'),
  toRead(
    resources.podLogs,
    ['get'],
    'backends',
    'what the controller that should release such Pods is forbidden',
  ),
];

/** One list of the Pods that no node has, in all namespaces; nothing where nobody wants it. */
export async function collectPendingPods(read: Attempts, wanted: boolean): Promise<Lookup<readonly Pod[]>> {
  const rest = notRequested('Pods that wait, while nobody asks closely');
  if (!wanted) return fromReadings(new Map(), rest);
  const query = { fieldSelector: 'status.phase=Pending' };
  const where = { query, selection: 'Pending Pods' };
  return fromReadings(new Map([['Pending', await read.list<Pod>(resources.pods, where)]]), rest);
}

/** Whether the ConfigMaps and Secrets exist; of each its metadata, by `Kind namespace/name`. */
export async function collectPodReferences(
  read: Attempts,
  refs: readonly ObjectRef[],
): Promise<Lookup<Metadata>> {
  const readings = await Promise.all(
    refs.map(async ({ kind, namespace, name }) => {
      const resource = kind === 'Secret' ? resources.secrets : resources.configMaps;
      const where = { ...(namespace === undefined ? {} : { namespace }), accept: metadataOnly };
      const reading = await read.get<{ readonly metadata: Metadata }>(resource, name, where);
      const value = isRead(reading) ? { value: reading.value?.metadata } : reading;
      return [`${kind} ${keyOf({ namespace, name })}`, value] as const;
    }),
  );
  return fromReadings(new Map(readings), notRequested('an input that no parked Pod refers to'));
}
