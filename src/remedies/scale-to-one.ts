import { isServiceBacked } from '../facts/callout.ts';
import { wantedPods } from '../facts/workloads.ts';
import { workloadBehind } from './backend.ts';
import { defineRemedy } from './remedy.ts';
import { canScale, leaderGatedChecks, mayBeScaledBack, scalePlan } from './scale.ts';

export const scaleToOne = defineRemedy({
  meta: {
    id: 'scale-to-one',
    title: 'Leave only one replica, which then leads',
    risk: 'careful',
    does: 'Scales the workload to one replica: every call meets the only Pod, and that becomes the leader. If the leader is the one that goes, nobody serves until its Lease has run out, 15 s as a rule.',
    leaves:
      'The design: a restart of the one Pod is an outage. The product should serve its webhook in every replica, or be Ready only where it leads.',
    answers: [...leaderGatedChecks],
    touches: [{ operation: 'scale', kinds: ['Deployment', 'StatefulSet', 'ReplicaSet'] }],
  },
  requires: ['services', 'workloads'],
  plan({ callout }, facts) {
    if (callout === undefined || !isServiceBacked(callout)) return undefined;
    const workload = workloadBehind(callout, facts);
    if (workload === undefined || !canScale(workload) || wantedPods(workload) < 2) return undefined;
    return scalePlan(workload, 1, [
      'Until it is scaled up again one Pod stands between requests and refusal.',
      mayBeScaledBack,
    ]);
  },
});
