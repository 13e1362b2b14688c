import type { Autoscaler } from '../../facts/objects/autoscaler.ts';
import type { Workload } from '../../facts/objects/workload.ts';
import { resources, toRead } from '../../facts/resource.ts';
import { wantedPods, workloadsMaking } from '../../facts/workloads.ts';
import { defineCollector, eachKey } from '../collector.ts';
import { brokenBackends, brokenFacts } from '../suspicion.ts';

/** Whether a workload that could have replicas is to have none. */
const isAtZero = (workload: Workload): boolean => workload.kind !== 'DaemonSet' && wantedPods(workload) === 0;

/** Of namespaces in which the workload of a backend is scaled to zero. */
export const autoscalers = defineCollector({
  fact: 'autoscalers',
  topics: ['failures'],
  needs: [...brokenFacts, 'workloads'],
  rights: [
    toRead(
      resources.HorizontalPodAutoscaler,
      ['list'],
      'backends',
      'the minimum number of replicas of an autoscaler',
    ),
  ],
  otherwise: 'HorizontalPodAutoscalers of a namespace without workloads scaled to zero',
  wants: (facts, wishes) =>
    brokenBackends(facts, wishes)
      .filter(({ namespace, service }) => {
        const here = facts.workloads.getIfKnown(namespace) ?? [];
        return workloadsMaking(service?.spec.selector, here).some(isAtZero);
      })
      .map(({ namespace }) => namespace),
  read: (access, keys) =>
    eachKey(keys, (namespace) => access.list<Autoscaler>(resources.HorizontalPodAutoscaler, { namespace })),
});
