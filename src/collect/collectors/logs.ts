import { keyOf } from '../../facts/object-ref.ts';
import { podLogs, toRead } from '../../facts/resource.ts';
import { isRead } from '../attempts.ts';
import { defineCollector, eachKey } from '../collector.ts';
import { crashedContainer } from '../suspicion.ts';

/**
 * The kubelet answers 200 and puts these words where the log should be when the runtime has removed the container, or its
 * file (seen on a 1.35.4 kubelet; kuberuntime_container.go GetContainerLogs, kuberuntime/logs).
 */
const isKubeletExcuse = (text: string): boolean =>
  /^(unable to retrieve container logs for \S+|failed to try resolving symlinks in path .*)$/.test(
    text.trim(),
  );

/** The last ten lines that a crashed container wrote, by `namespace/pod/container`; one of each backend. */
export const logs = defineCollector({
  fact: 'logs',
  topics: ['failures'],
  needs: ['pods'],
  rights: [toRead(podLogs, ['get'], 'backends', 'the last lines of a container that crashed')],
  atMost: 10,
  otherwise: 'the log of a container that did not crash',
  wants: ({ pods }) =>
    [...pods.all()].flatMap((ofBackend) => {
      const crashed = ofBackend.find((pod) => crashedContainer(pod) !== undefined);
      return crashed === undefined ? [] : [`${keyOf(crashed.metadata)}/${crashedContainer(crashed)}`];
    }),
  read: (access, keys) =>
    eachKey(keys, async (key) => {
      const [namespace = '', pod = '', container = ''] = key.split('/');
      const reading = await access.text(podLogs, pod, {
        namespace,
        query: { container, previous: true, tailLines: 10, limitBytes: 8192 },
      });
      return isRead(reading) && isKubeletExcuse(reading.value) ? { value: '' } : reading;
    }),
});
