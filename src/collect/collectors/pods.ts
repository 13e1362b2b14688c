import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead, type Reading } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { askedTogether, commonSelector } from './common-selector.ts';
import { fromReadings, notRequested } from './readings.ts';

export const podRights: readonly Right[] = [
  toRead(resources.pods, ['list'], 'backends', 'the replicas of a backend and how they are'),
];

export const endpointPodRights: readonly Right[] = [
  toRead(resources.pods, ['get'], 'backends', 'Pods that endpoints name and the selector does not'),
];

const selectorOf = ({ spec }: Service): Readonly<Record<string, string>> => spec.selector ?? {};

const isSelected =
  (service: Service) =>
  ({ metadata }: Pod): boolean =>
    Object.entries(selectorOf(service)).every(([key, value]) => metadata.labels?.[key] === value);

type PodsOfService = readonly [key: string, Reading<readonly Pod[]>];

/** One list for Services that can be asked for together. */
async function listTogether(read: Attempts, services: readonly Service[]): Promise<readonly PodsOfService[]> {
  const namespace = services[0]?.metadata.namespace;
  const query = { labelSelector: commonSelector(services.map(selectorOf)) };
  const where = { ...(namespace === undefined ? {} : { namespace }), query };
  const reading = await read.list<Pod>(resources.pods, where);
  return services.map((service) => [
    keyOf(service.metadata),
    isRead(reading) ? { value: reading.value.filter(isSelected(service)) } : reading,
  ]);
}

/** The Pods that each Service selects: one list per Service at most. A Service without selector selects none. */
export async function collectPods(
  read: Attempts,
  services: readonly Service[],
): Promise<Lookup<readonly Pod[]>> {
  const selecting = services.filter((service) => Object.keys(selectorOf(service)).length > 0);
  const lists = askedTogether(selecting, (service) => ({
    namespace: service.metadata.namespace,
    selector: selectorOf(service),
  }));
  const listed = await Promise.all(lists.map((alike) => listTogether(read, alike)));
  const none = services.map((service): PodsOfService => [keyOf(service.metadata), { value: [] }]);
  return fromReadings(
    new Map([...none, ...listed.flat()]),
    notRequested('the Pods of a backend that looks whole'),
  );
}

/** Single Pods, by `namespace/name`. */
export async function collectSinglePods(read: Attempts, keys: readonly string[]): Promise<Lookup<Pod>> {
  const readings = new Map(
    await Promise.all(
      keys.map(async (key) => {
        const [namespace = '', name = ''] = key.split('/');
        return [key, await read.get<Pod>(resources.pods, name, { namespace })] as const;
      }),
    ),
  );
  return fromReadings(readings, notRequested('a Pod that nothing led to'));
}
