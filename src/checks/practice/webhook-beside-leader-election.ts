import { calledWith } from '../../apiserver/connection/called-with.ts';
import { usableEndpoints } from '../../apiserver/connection/probed-endpoints.ts';
import { calloutId, isAdmission } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import { electsLeader, heldLeases, leasesAround } from '../../facts/workloads/leaders.ts';
import { wantedPods } from '../../facts/workloads/workloads.ts';
import { backendsWithWorkload, type ExaminedBackend, practiceFacts } from '../../pods/backend-practices.ts';
import { leaderFacts } from '../../pods/leadership.ts';
import { workloadText } from '../../pods/workload-search.ts';
import { productOf } from '../../products/of-webhook.ts';
import { defineCheck } from '../check.ts';

/** True for a webhook that several Pods of a Deployment serve. Products are known to serve on all. */
const mayFollow = ({ callout, workload }: ExaminedBackend): boolean =>
  isAdmission(callout) &&
  workload.kind === 'Deployment' &&
  wantedPods(workload) > 1 &&
  productOf(callout) === undefined;

export const webhookBesideLeaderElection = defineCheck({
  meta: {
    id: 'webhook-beside-leader-election',
    title: 'Other Pods may not respond as the leader does',
    severity: 'info',
    why: 'The replicas of one Deployment serve the webhook and elect a leader. If the responses depend on data that only the leader collects, the other replicas deny objects that the leader allows.',
    advice:
      '[look] Find out whether the webhook reads data that only the leader collects. [look] Call every replica with an object that must be admitted: `kubectl webhook doctor {configuration} -f FILE`.',
    noRemedy: 'in-the-server',
    messages: {
      held: 'Replicas of {workload} elect a leader (Lease {lease}); no real object has shown that the others respond the same way (try -f FILE)',
      told: 'Replicas of {workload} are configured to elect a leader; no real object has shown that the others respond the same way (try -f FILE)',
    },
    references: ['/docs/concepts/architecture/leases/#custom-workload'],
    follows: ['leader-gated-answer', 'leader-gated-listener', 'leader-gated-readiness', 'replicas-disagree'],
  },
  requires: [...new Set([...practiceFacts, ...leaderFacts, 'samples'] as const)],
  subjects: (facts) => backendsWithWorkload(facts).filter(mayFollow),
  run({ key, namespace, callout, workload }, facts, find) {
    const pods = facts.pods.getIfKnown(key) ?? [];
    const id = calloutId(callout);
    const shown = calledWith(callout, facts).some(({ sample, facts: seen }) => {
      const usable = sample === undefined || !facts.probes.known(id) ? [] : usableEndpoints(callout, seen);
      return usable.length > 1 && usable.every(({ callResult }) => callResult.outcome === 'answers');
    });
    if (shown) return undefined;
    const [held] = heldLeases(leasesAround(namespace, pods, facts), pods);
    const data = { workload: workloadText(workload) };
    if (held === undefined) return pods.some(electsLeader) ? find('told', data) : undefined;
    const { metadata } = held.lease;
    const object = { kind: 'Lease', namespace: metadata.namespace ?? '', name: metadata.name };
    const value = held.lease.spec?.holderIdentity ?? '';
    return find('held', { ...data, lease: keyOf(held.lease.metadata) }, [
      { object, field: 'spec.holderIdentity', value },
    ]);
  },
});
