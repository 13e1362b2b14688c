import { probedCallouts } from '../../../apiserver/connection/probed-callouts.ts';
import { hasFailed, usableEndpoints } from '../../../apiserver/connection/probed-endpoints.ts';
import type { ProbedEndpoint } from '../../../apiserver/connection/probed-servers.ts';
import { secondsSince } from '../../../basics/time.ts';
import type { Evidence } from '../../../facts/evidence.ts';
import { keyOf } from '../../../facts/object-ref.ts';
import type { Lease } from '../../../facts/objects/lease.ts';
import type { Pod } from '../../../facts/objects/pod.ts';
import type { Facts } from '../../../facts/snapshot.ts';
import { lastingStatuses } from '../../../facts/workloads/container-crash.ts';
import {
  abandonedLease,
  electsLeader,
  heldLeases,
  isHeldBy,
  isOfFormerPod,
  overdue,
} from '../../../facts/workloads/leaders.ts';
import { isPodReady, startupSeconds } from '../../../facts/workloads/pod-state.ts';
import { knownPods, replicaPods } from '../../../facts/workloads/replicas.ts';
import { shortDuration } from '../../../phrases/durations.ts';
import { knownLeases, leaderFacts, waitsBeforeElection } from '../../../pods/leadership.ts';
import { portInLog } from '../../../pods/listening.ts';
import { defineCheck, fatal } from '../../check.ts';

/** Faults of a Pod that waits to become the leader; without a log line about it, only the first suffices. */
const waits = ['refused', 'alert', 'certificate', 'unauthorized', 'server-error', 'path-not-found'];
/** Those that the program itself responds with. */
const ofHandler = ['unauthorized', 'server-error', 'path-not-found'];

const distinct = (values: readonly unknown[]): number => new Set(values).size;

/** True if Pods respond differently, as they do if only the leader serves. */
const differ = (usable: readonly ProbedEndpoint[], pods: readonly Pod[]): boolean =>
  distinct(usable.map(({ callResult }) => callResult.outcome)) > 1 || distinct(pods.map(isPodReady)) > 1;

/** The Lease that is not renewed, if these Pods hold no other one. */
function staleLease(leases: readonly Lease[], pods: readonly Pod[], takenAt: string): Lease | undefined {
  const led = heldLeases(leases, pods).some(({ lease }) => overdue(lease, takenAt) === undefined);
  if (led) return undefined;
  return leases.find((lease) => {
    const identity = lease.spec?.holderIdentity ?? '';
    const theirs = pods.some((pod) => isHeldBy(identity, pod)) || isOfFormerPod(identity, pods);
    return identity !== '' && theirs && overdue(lease, takenAt) !== undefined;
  });
}

/**
 * True if every call fails as if the replicas waited for a leader. If the log says that the server listens, a refused
 * connection has another cause.
 */
function areUnserved(
  usable: readonly ProbedEndpoint[],
  pods: readonly Pod[],
  facts: Pick<Facts, 'logs'>,
): boolean {
  const relevantFaults = pods.some(electsLeader) ? waits : ['refused'];
  const faults = usable.map((endpoint) => (hasFailed(endpoint) ? endpoint.callResult.fault : ''));
  if (faults.length === 0 || !faults.every((fault) => relevantFaults.includes(fault))) return false;
  const tried = usable.flatMap(({ probe }) => probe?.port ?? [])[0];
  return !faults.includes('refused') || pods.every((pod) => portInLog(pod, tried, facts) === undefined);
}

/** True if the server of a replica has accepted a connection: it listens without a leader. */
const doListen = (usable: readonly ProbedEndpoint[]): boolean =>
  usable.some((endpoint) => hasFailed(endpoint) && ofHandler.includes(endpoint.callResult.fault));

/** True if every process has run for less than this number of seconds. */
const haveRunLess = (seconds: number, pods: readonly Pod[], takenAt: string): boolean =>
  pods.every((pod) =>
    lastingStatuses(pod).some(
      ({ state }) => (secondsSince(state?.running?.startedAt, takenAt) ?? Number.POSITIVE_INFINITY) < seconds,
    ),
  );

/**
 * True if every process is too young to acquire a Lease that another one left: a candidate waits for the
 * duration of the Lease after it has first read it, however old it is (client-go leaderelection.go).
 */
const areTooYoung = (pods: readonly Pod[], { spec }: Lease, takenAt: string): boolean =>
  haveRunLess((spec?.leaseDurationSeconds ?? 0) + retrySeconds, pods, takenAt);

/** The time in which a candidate starts and tries again. */
const retrySeconds = 10;

const evidenceOf = ({ metadata: { namespace = '', name }, spec }: Lease): Evidence => ({
  object: { kind: 'Lease', namespace, name },
  field: 'spec.renewTime',
  value: spec?.renewTime ?? '',
});

export const leaderLeaseStale = defineCheck({
  meta: {
    id: 'leader-lease-stale',
    title: 'No leader: the Lease is not renewed',
    severity: 'warning',
    why: 'A leader renews its Lease every few seconds, and another replica acquires it when the leader stops. A stale Lease means that no replica tries to acquire it, or none is allowed to. The work of the leader is not done, and a webhook that only the leader serves is down.',
    advice:
      '[look] Find out why no replica acquires the Lease: `kubectl -n {namespace} logs {pod}` (often a forbidden `update` of leases in coordination.k8s.io, or a process that hangs). [with] Do not delete the Lease: a replica that has permission to update it acquires a stale one.',
    messages: {
      gone: 'Lease {lease} has not been renewed for {span}: its holder {holder} does not exist',
      stuck: 'Lease {lease} has not been renewed by its holder {holder} for {span}',
      left: {
        text: 'Lease {lease} is held by {holder}, which does not exist, and no replica can acquire it for another {span}',
        advice:
          'To let a replica acquire it now, delete the Lease, whose holder no longer exists: `kubectl -n {namespace} delete lease {lease}`.',
      },
      leftUnserved: fatal(
        'No replica serves without a leader: Lease {lease} is held for another {span} by {holder}, which does not exist',
        'To let a replica acquire it now, delete the Lease, whose holder no longer exists: `kubectl -n {namespace} delete lease {lease}`.',
      ),
      unserved: fatal(
        'Lease {lease} expired {span} ago (holder {holder}), and no replica serves without a leader',
      ),
    },
    preventsReadiness: true,
    follows: [
      'pods-cannot-reach-api-server',
      'process-cannot-start',
      'service-account-lacks-rights',
      'replica-hangs',
      'workload-cannot-create-pods',
      'rollout-paused',
      'replica-crash-looping',
      'replica-out-of-memory',
      'replica-config-error',
      'replica-node-not-ready',
      'replica-image-pull-failing',
      'target-port-closed',
    ],
    references: ['/docs/concepts/architecture/leases/#custom-workload'],
  },
  requires: [...leaderFacts, 'logs'],
  subjects: probedCallouts,
  run(callout, facts, find) {
    const usable = usableEndpoints(callout, facts);
    const pods = replicaPods(knownPods(callout, facts));
    if (pods.length > 0 && pods.every((pod) => waitsBeforeElection(pod, facts))) return undefined;
    const elects = pods.some(electsLeader);
    const unserved = areUnserved(usable, pods, facts);
    const leases = knownLeases(callout, pods, facts);
    const lease = staleLease(leases, pods, facts.takenAt);
    if (lease === undefined) {
      const left = abandonedLease(leases, pods, facts.takenAt);
      if (left === undefined) return undefined;
      const { leaseDurationSeconds = 0, renewTime, holderIdentity: holder = '' } = left.spec ?? {};
      const span = shortDuration(
        Math.round(leaseDurationSeconds - (secondsSince(renewTime, facts.takenAt) ?? 0)),
      );
      const data = { lease: keyOf(left.metadata), holder, span };
      const waitsForLeader =
        unserved && !doListen(usable) && !haveRunLess(startupSeconds, pods, facts.takenAt);
      return find(waitsForLeader ? 'leftUnserved' : 'left', data, [evidenceOf(left)], {
        lease: left.metadata.name,
      });
    }
    // The Lease is left over from an earlier leader election.
    const denied = usable.length > 0 && usable.every(({ callResult }) => callResult.outcome === 'denies');
    if (!unserved && !elects && !denied && !differ(usable, pods)) return undefined;
    const holder = lease.spec?.holderIdentity ?? '';
    const names = { pod: pods[0]?.metadata.name };
    const span = shortDuration(overdue(lease, facts.takenAt) ?? 0);
    const data = { lease: keyOf(lease.metadata), holder, span };
    const evidence = [evidenceOf(lease)];
    if (areTooYoung(pods, lease, facts.takenAt)) return undefined;
    if (unserved) return find('unserved', data, evidence, names, elects ? 'observed' : 'derived');
    const message = pods.some((pod) => isHeldBy(holder, pod)) ? 'stuck' : 'gone';
    return find(message, data, evidence, names);
  },
});
