import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import { usableEndpoints } from '../../../apiserver/connection/probed-endpoints.ts';
import { relevantLogLines } from '../../../apiserver/sentences/logs/log-lines.ts';
import { secondsSince } from '../../../basics/time.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { lastingStatuses } from '../../../facts/workloads/container-crash.ts';
import { heldLeases, overdue } from '../../../facts/workloads/leaders.ts';
import { logOf } from '../../../facts/workloads/pod-logs.ts';
import { isPodReady, startupSeconds } from '../../../facts/workloads/pod-state.ts';
import { knownPods, replicaPods } from '../../../facts/workloads/replicas.ts';
import { newestRevision, refOfPod } from '../../../facts/workloads/workloads.ts';
import { knownLeases, leaderFacts } from '../../../pods/leadership.ts';
import { defineCheck, latent } from '../../check.ts';

/** What client-go logs before it has the Lease (leaderelection.go). */
const wait = /attempting to acquire leader lease/;

/**
 * True if a Pod has had time to start, its log reports nothing after the wait for the Lease and no error, and no Event
 * reports another response to its probe than a closed port: a server that responds can have another reason.
 */
function waitsForLease(pod: Pod, facts: Pick<Facts, 'events' | 'logs' | 'takenAt'>): boolean {
  const { name, namespace = '' } = pod.metadata;
  const lines = pod.spec.containers.flatMap((one) => relevantLogLines(logOf(pod, one.name, facts), 1));
  const failed = (facts.events.getIfKnown(namespace) ?? []).filter(
    ({ reason, involvedObject }) => reason === 'Unhealthy' && involvedObject.name === name,
  );
  return (
    lastingStatuses(pod).every(
      ({ state }) => (secondsSince(state?.running?.startedAt, facts.takenAt) ?? 0) > startupSeconds,
    ) &&
    lines.length > 0 &&
    lines.every((line) => wait.test(line)) &&
    failed.every(({ message = '' }) => message.includes('connection refused'))
  );
}

export const leaderGatedReadiness = defineCheck({
  meta: {
    id: 'leader-gated-readiness',
    title: 'Only the leader is Ready: no redundancy',
    severity: 'info',
    confidence: 'observed',
    why: 'Readiness depends on the leader election, so only the leader receives requests. Calls succeed, but when the leader stops, no Pod serves until another is elected. A rollout can wait forever for a Pod that becomes Ready only without the old leader.',
    advice:
      '[end] Make readiness depend on whether the Pod can serve requests, not on leadership: `kubectl -n {namespace} edit {workload}`. [with] More replicas do not help: only one of them is Ready.',
    noRemedy: 'a-decision',
    messages: {
      only: {
        text: 'Only the leader, Pod {holder} (Lease {lease}), is Ready; waiting for leadership: {others} of {total} replicas',
        explains: false,
      },
      rollout: latent(
        'The rollout does not end: the new Pod is Ready only as leader, and Pod {holder} of the old revision has Lease {lease}',
        '[end] Make readiness depend on whether the Pod can serve requests, not on leadership: `kubectl -n {namespace} edit {workload}`. [end] If the log of the new Pod shows no other reason, delete the old Pod to end this rollout: `kubectl -n {namespace} delete pod {holder}`. [with] Calls fail until the new Pod has the Lease.',
      ),
    },
    references: ['/docs/concepts/workloads/pods/probes/#readiness-probe'],
  },
  requires: [...leaderFacts, 'events', 'logs'],
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
    const newest = newestRevision(pods);
    if (newest.includes(holder)) return find('only', data, evidence);
    return newest.every((pod) => waitsForLease(pod, facts))
      ? find('rollout', { holder: data.holder, lease: data.lease }, evidence, { holder: data.holder })
      : undefined;
  },
});
