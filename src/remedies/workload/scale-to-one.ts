import { wantedPods } from '../../facts/workloads/workloads.ts';
import { workloadBehind } from '../backend.ts';
import { defineRemedy } from '../remedy.ts';
import { canScale, leaderGatedChecks, mayBeScaledBack, scalePlan } from './scale.ts';

export const scaleToOne = defineRemedy({
  meta: {
    id: 'scale-to-one',
    title: 'Scale to one replica, which becomes the leader',
    risk: 'careful',
    does: 'Scales the workload to one replica: the only Pod becomes the leader and receives every call. If the leader is the Pod that is deleted, no Pod serves until its Lease expires, usually after 15 s.',
    leaves:
      'The design: each restart of the only Pod is an outage. The product must serve its webhook in every Pod, or be Ready only in the leader.',
    answers: [...leaderGatedChecks],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  about: 'service-backed',
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) < 2) return undefined;
    return scalePlan(workload, 1, [
      'Until it is scaled up again, requests depend on a single Pod.',
      mayBeScaledBack,
    ]);
  },
});
