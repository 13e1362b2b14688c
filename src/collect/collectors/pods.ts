import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Service } from '../../facts/objects/service.ts';
import type { Attempts, Reading } from '../attempts.ts';
import { resources } from '../resource.ts';
import { fromReadings, notRequested } from './readings.ts';

const selectorText = (selector: Readonly<Record<string, string>>): string =>
  Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

/** The Pods that each Service selects: one list per Service. A Service without selector selects none. */
export async function collectPods(
  read: Attempts,
  services: readonly Service[],
): Promise<Lookup<readonly Pod[]>> {
  const readings = new Map(
    await Promise.all(
      services.map(async (service): Promise<readonly [string, Reading<readonly Pod[]>]> => {
        const key = keyOf(service.metadata);
        const selector = service.spec.selector ?? {};
        if (Object.keys(selector).length === 0) return [key, { value: [] }];
        const { namespace } = service.metadata;
        const where = {
          ...(namespace === undefined ? {} : { namespace }),
          query: { labelSelector: selectorText(selector) },
        };
        return [key, await read.list<Pod>(resources.pods, where)];
      }),
    ),
  );
  return fromReadings(readings, notRequested('the Pods of a backend that looks whole'));
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
