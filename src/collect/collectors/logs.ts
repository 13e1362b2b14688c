import type { Lookup } from '../../facts/lookup.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { Right } from '../../facts/right.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { resources } from '../resource.ts';
import { toRead } from '../rights.ts';
import { fromReadings, notRequested } from './readings.ts';

export const logRights: readonly Right[] = [
  toRead(resources.podLogs, ['get'], 'backends', 'the last lines of a container that crashed'),
];

/** A container whose last words are to be read. */
export interface CrashedContainer {
  readonly pod: Pod;
  readonly container: string;
}

/**
 * The kubelet answers 200 and puts these words where the log should be when the runtime has removed the container, or its
 * file (seen on a 1.35.4 kubelet; kuberuntime_container.go GetContainerLogs, kuberuntime/logs).
 */
const isKubeletExcuse = (text: string): boolean =>
  /^(unable to retrieve container logs for \S+|failed to try resolving symlinks in path .*)$/.test(
    text.trim(),
  );

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
        });
        const isExcuse = isRead(reading) && isKubeletExcuse(reading.value);
        return [`${key}/${container}`, isExcuse ? { value: '' } : reading] as const;
      }),
    ),
  );
  return fromReadings(readings, notRequested('the log of a container that did not crash'));
}
