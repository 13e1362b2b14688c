import { wantedPods } from '../../facts/workloads/workloads.ts';
import { workloadBehind } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';
import { canScale, gatingLease, leaderGatedChecks, mayBeScaledBack, scalePlan } from './scale.ts';

export const scaleUp = defineRemedy({
  meta: {
    id: 'scale-up',
    title: 'Scale to two replicas',
    risk: 'careful',
    does: 'Scales the workload to two replicas, so that one Pod can fail or be evicted. It needs capacity on a node, and a backend that responds in every Pod.',
    leaves:
      'Two Pods on one node fail together with it, and a drain can evict both: spread them over nodes, and add a PodDisruptionBudget.',
    answers: ['outage-risk-single-replica', ...leaderGatedChecks],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads', 'leases', 'probes'],
  plan({ check, callout }, facts) {
    const lease = gatingLease(callout, facts);
    if (lease !== undefined || leaderGatedChecks.some((id) => id === check)) {
      const holder = lease === undefined ? 'the leader' : `the holder of Lease ${lease}`;
      return `Only ${holder} serves: with more replicas, more calls fail.`;
    }
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) !== 1) return undefined;
    const { namespace } = callout.client.service;
    const electing = (facts.leases.getIfKnown(namespace) ?? []).length > 0;
    return scalePlan(workload, 2, [
      electing
        ? `Leases in namespace ${namespace} show leader election. If only the leader serves, half of the calls fail: undo the change in that case.`
        : 'If only a leader serves, half of the calls fail: undo the change in that case.',
      mayBeScaledBack,
    ]);
  },
});
