import { isParked } from '../../apiserver/held-pods/placeholder-scheduler.ts';
import { forbiddenIn } from '../../apiserver/sentences/forbidden-words.ts';
import { isServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { RbacDenial } from '../../facts/rbac-denial.ts';
import { podLogs, toRead } from '../../facts/resource.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { type Attempts, isRead } from '../attempts.ts';
import { defineCollector, eachKey } from '../collector.ts';
import { podsOf } from '../suspicion.ts';
import { mayPark, waitingPods } from './pending-pods.ts';

/** Lines from the end of a log: a controller that lacks a right tries again, and says so again. */
const tailLines = 50;
const atMost = 3;

async function denialsOf(read: Attempts, pods: readonly Pod[]) {
  const containers = pods.flatMap((pod) => pod.spec.containers.map(({ name }) => ({ pod, name })));
  return Promise.all(
    containers.slice(0, atMost).map(async ({ pod, name }) => {
      const { namespace } = pod.metadata;
      const reading = await read.text(podLogs, pod.metadata.name, {
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
 * What the Pods behind webhooks that may have parked others are not allowed to do, as their own logs tell: usually what
 * parks also releases. The last such line of a few containers each; nothing where no Pod is parked.
 */
export const rbacDenials = defineCollector({
  fact: 'rbacDenials',
  topics: ['failures'],
  needs: ['pods', 'pendingPods'],
  rights: [
    toRead(podLogs, ['get'], 'backends', 'what the controller that should release such Pods is forbidden'),
  ],
  otherwise: 'logs of backends that hold no Pods',
  wants: (facts, { asked }) =>
    (waitingPods(facts).some(isParked) ? asked.filter(mayPark).filter(isServiceBacked) : [])
      .map(({ client }) => keyOf(client.service))
      .filter((key) => facts.pods.known(key)),
  read: (access, keys, facts) =>
    eachKey(keys, async (key) => {
      const running = podsOf(facts, { key }).filter(({ status }) => status.phase === 'Running');
      const found = await denialsOf(access, running);
      const failed = found.find((one) => !isRead(one));
      const denied = found.flatMap((one) => (isRead(one) ? one.value : []));
      return failed !== undefined && denied.length === 0 ? failed : { value: denied };
    }),
});
