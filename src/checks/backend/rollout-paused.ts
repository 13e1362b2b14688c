import { backendsInNeedOfPods, endpointFacts } from '../../apiserver/routing/backends.ts';
import type { Workload } from '../../facts/objects.ts';
import {
  refOfWorkload,
  unprocessedSince,
  wantedPods,
  workloadArgument,
  workloadsMaking,
} from '../../facts/workloads.ts';
import { podRefusalOf } from '../../pods/refusal.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { defineCheck } from '../check.ts';

/**
 * A paused Deployment creates no ReplicaSet for its template; its existing ReplicaSets are still scaled: none of
 * their Pods has the current template.
 */
function pausedMessage({ spec, status }: Workload): 'none' | 'outdated' | undefined {
  if (spec.paused !== true) return undefined;
  if ((status.replicas ?? 0) === 0) return 'none';
  return (status.updatedReplicas ?? 0) === 0 ? 'outdated' : undefined;
}

export const rolloutPaused = defineCheck({
  meta: {
    id: 'rollout-paused',
    title: 'Rollout of the Deployment is paused',
    severity: 'error',
    consequence: 'failing',
    explains: { 'no-endpoints': 8, 'connection-refused': 8, unavailable: 6 },
    why: 'While `spec.paused` is true, the Deployment creates no Pods of a new Pod template: a Deployment that was paused before its first Pod has none, and a correction of the template does not reach its Pods.',
    advice:
      'If the change of the Pod template is complete, resume the rollout: `kubectl -n {namespace} rollout resume {affected}`.',
    messages: {
      none: '{workload} is paused (spec.paused) and has not created a Pod yet',
      outdated: '{workload} is paused (spec.paused), and none of its Pods has the current Pod template',
    },
    follows: ['bootstrap-deadlock', 'deadlock-cycle'],
    references: ['/docs/concepts/workloads/controllers/deployment/#pausing-and-resuming-a-deployment'],
  },
  requires: [...endpointFacts, 'workloads', 'events'],
  subjects: backendsInNeedOfPods,
  run({ namespace, service }, facts, find) {
    const makers = workloadsMaking(service.spec.selector, facts.workloads.get(namespace) ?? []);
    for (const workload of makers.filter((one) => wantedPods(one) > 0)) {
      const message = pausedMessage(workload);
      if (message === undefined || unprocessedSince(workload, facts.takenAt) !== undefined) continue;
      if (podRefusalOf(workload, facts) !== undefined) continue;
      const evidence = [{ object: refOfWorkload(workload), field: 'spec.paused', value: 'true' }];
      const affected = workloadArgument(refOfWorkload(workload));
      return find(message, { workload: workloadText(workload) }, evidence, { affected });
    }
    return undefined;
  },
});
