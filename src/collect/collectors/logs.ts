import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Attempts } from '../attempts.ts';
import { resources } from '../resource.ts';
import { fromReadings, notRequested } from './readings.ts';

export interface CrashedContainer {
  readonly pod: Pod;
  readonly container: string;
}

/** The last ten lines that a crashed container wrote, by `namespace/pod/container`. */
export async function collectLogs(
  read: Attempts,
  crashed: readonly CrashedContainer[],
): Promise<Lookup<string>> {
  const readings = new Map(
    await Promise.all(
      crashed.map(async ({ pod, container }) => {
        const key = keyOf(pod.metadata);
        const reading = await read.text(resources.podLogs, pod.metadata.name, {
          ...(pod.metadata.namespace === undefined ? {} : { namespace: pod.metadata.namespace }),
          query: { container, previous: true, tailLines: 10, limitBytes: 8192 },
          what: `the log of Pod ${key}`,
        });
        return [`${key}/${container}`, reading] as const;
      }),
    ),
  );
  return fromReadings(readings, notRequested('the log of a container that did not crash'));
}
