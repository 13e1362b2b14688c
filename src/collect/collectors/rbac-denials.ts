import { forbiddenIn } from '../../apiserver/sentences/forbidden-words.ts';
import type { Lookup } from '../../facts/lookup.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { RbacDenial } from '../../facts/rbac-denial.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { resources } from '../resource.ts';
import { fromReadings, notRequested } from './readings.ts';

/** Lines from the end of a log: a controller that lacks a right tries again, and says so again. */
const tailLines = 50;
const atMost = 3;

async function denialsOf(read: Attempts, pods: readonly Pod[]) {
  const containers = pods.flatMap((pod) => pod.spec.containers.map(({ name }) => ({ pod, name })));
  return Promise.all(
    containers.slice(0, atMost).map(async ({ pod, name }) => {
      const { namespace } = pod.metadata;
      const reading = await read.text(resources.podLogs, pod.metadata.name, {
        ...(namespace === undefined ? {} : { namespace }),
        query: { container: name, tailLines, limitBytes: 65_536 },
      });
      if (!isRead(reading)) return reading;
      const line = reading.value.split('\n').findLast((one) => forbiddenIn(one) !== undefined);
      const forbidden = line === undefined ? undefined : forbiddenIn(line);
      const denials: readonly RbacDenial[] =
        line === undefined || forbidden === undefined
          ? []
          : [{ pod: refOfPod(pod), container: name, line: line.trim(), forbidden }];
      return { value: denials };
    }),
  );
}

/**
 * What the API server forbids the running Pods of backends, as their own logs tell: the last such line of each container.
 * By the key under which the Pods are given; of a few containers each.
 */
export async function collectRbacDenials(
  read: Attempts,
  backends: ReadonlyMap<string, readonly Pod[]>,
): Promise<Lookup<readonly RbacDenial[]>> {
  const readings = await Promise.all(
    [...backends].map(async ([key, pods]) => {
      const running = pods.filter(({ status }) => status.phase === 'Running');
      const found = await denialsOf(read, running);
      const failed = found.find((one) => !isRead(one));
      const denials = found.flatMap((one) => (isRead(one) ? one.value : []));
      return [key, failed !== undefined && denials.length === 0 ? failed : { value: denials }] as const;
    }),
  );
  return fromReadings(new Map(readings), notRequested('logs of backends that hold no Pods'));
}
