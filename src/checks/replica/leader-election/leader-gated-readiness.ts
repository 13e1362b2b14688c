import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../../apiserver/connection/probed-endpoints.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import { heldLeases, overdue } from '../../../facts/workloads/leaders.ts';
import { isPodReady } from '../../../facts/workloads/pod-state.ts';
import { knownPods, replicaPods } from '../../../facts/workloads/replicas.ts';
import { newestRevision, refOfPod } from '../../../facts/workloads/workloads.ts';
import { knownLeases, leaderFacts } from '../../../pods/leadership.ts';
import { defineCheck, latent } from '../../check.ts';

export const leaderGatedReadiness = defineCheck({
  meta: {
    id: 'leader-gated-readiness',
    title: 'Only the leader is Ready: no redundancy',
    severity: 'info',
    confidence: 'observed',
    explains: { 'lease-not-held': 4 },
    why: 'Readiness depends on the leader election, so only the leader receives requests. Calls succeed, but when the leader stops, no Pod serves until another is elected. A rollout can wait forever for a Pod that becomes Ready only without the old leader.',
    advice:
      'Make readiness depend on whether the Pod can serve requests, not on leadership: `kubectl -n {namespace} edit {workload}`. More replicas do not help: only one of them is Ready.',
    noRemedy: 'a-decision',
    messages: {
      only: {
        text: 'Only the leader, Pod {holder} (Lease {lease}), is Ready; waiting for leadership: {others} of {total} replicas',
        explains: false,
      },
      rollout: {
        ...latent(
          'The rollout does not end: the new Pod is Ready only as leader, and Pod {holder} of the old revision has Lease {lease}',
        ),
        advice:
          'Make readiness depend on whether the Pod can serve requests, not on leadership: `kubectl -n {namespace} edit {workload}`. To end this rollout, delete the old Pod; calls fail until the new one has the Lease: `kubectl -n {namespace} delete pod {holder}`.',
      },
    },
    references: ['/docs/concepts/workloads/pods/probes/#readiness-probe'],
  },
  requires: leaderFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const usable = usableEndpoints(callout, facts);
    const pods = replicaPods(knownPods(callout, facts));
    const ready = pods.filter(isPodReady);
    const [holder, another] = ready;
    if (holder === undefined || another !== undefined || pods.length < 2) return undefined;
    const running = pods.every(({ status }) =>
      (status.containerStatuses ?? []).every(({ state }) => state?.running !== undefined),
    );
    const held = heldLeases(knownLeases(callout, pods, facts), pods).find(
      ({ pod, lease }) => pod === holder && overdue(lease, facts.takenAt) === undefined,
    );
    const answers = usable.some(
      ({ pod, callResult }) => pod === holder.metadata.name && callResult.outcome === 'answers',
    );
    if (!running || held === undefined || !answers) return undefined;
    const data = {
      holder: holder.metadata.name,
      lease: keyOf(held.lease.metadata),
      others: pods.length - 1,
      total: pods.length,
    };
    const evidence = pods.map((pod) => ({
      object: refOfPod(pod),
      field: 'status.conditions[Ready]',
      value: isPodReady(pod) ? 'True' : 'False',
    }));
    const isOld = !newestRevision(pods).includes(holder);
    return isOld
      ? find('rollout', { holder: data.holder, lease: data.lease }, evidence, { holder: data.holder })
      : find('only', data, evidence);
  },
});
