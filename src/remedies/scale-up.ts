import { isServiceBacked } from '../facts/callout.ts';
import { wantedPods } from '../facts/workloads.ts';
import { workloadBehind } from './backend.ts';
import { defineRemedy } from './remedy.ts';
import { canScale, gatingLease, leaderGatedChecks, mayBeScaledBack, scalePlan } from './scale.ts';

export const scaleUp = defineRemedy({
  meta: {
    id: 'scale-up',
    title: 'Run a second replica',
    risk: 'careful',
    does: 'Scales the workload to two replicas, so that one may go away. It needs room on a node, and a backend that answers in every replica.',
    leaves:
      'Two replicas on one node go away together with it, and a drain may take both: spread them, and add a PodDisruptionBudget.',
    answers: ['outage-risk-single-replica', 'single-replica', ...leaderGatedChecks],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  requires: ['services', 'workloads', 'leases', 'probes'],
  plan({ check, callout }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const lease = gatingLease(callout, facts);
    if (lease !== undefined || leaderGatedChecks.some((id) => id === check)) {
      const holder = lease === undefined ? 'the leader' : `the holder of Lease ${lease}`;
      return {
        refused: `Only ${holder} serves: with more replicas a larger share of calls fails, not a smaller one.`,
      };
    }
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) !== 1) return undefined;
    const { namespace } = callout.client.service;
    const electing = (facts.leases.getIfKnown(namespace) ?? []).length > 0;
    return scalePlan(workload, 2, [
      electing
        ? `Leases in namespace ${namespace} show that something there elects a leader. If only the leader serves, half of the calls will fail: undo it then.`
        : 'If only a leader serves, half of the calls will fail: undo it then.',
      mayBeScaledBack,
    ]);
  },
});
