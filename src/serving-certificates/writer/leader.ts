import { firstResult } from '../../basics/collections.ts';
import { secondsSince } from '../../basics/time.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { keyOf, refOf, refText } from '../../facts/object-ref.ts';
import type { Lease } from '../../facts/objects/lease.ts';
import type { Metadata } from '../../facts/objects/metadata.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import { isCrashing, lastingStatuses } from '../../facts/workloads/container-crash.ts';
import {
  abandonedLease,
  endedState,
  heldLeases,
  isOfFormerPod,
  overdue,
} from '../../facts/workloads/leaders.ts';
import { newestRevision, refOfPod, workloadOfPod, writerPods } from '../../facts/workloads/workloads.ts';
import { shortDuration } from '../../phrases/durations.ts';
import { certificateFor } from '../renewed-by.ts';
import { servingSecret } from '../serving-secret.ts';
import type { WriterFacts, WriterProblem } from './writer-facts.ts';

/** A Pod that crashes does not wait. */
const canWait = (pod: Pod, takenAt: string): boolean =>
  pod.status.phase === 'Running' &&
  pod.metadata.deletionTimestamp === undefined &&
  !lastingStatuses(pod).some((status) => isCrashing(status, takenAt));

/** The expired Lease of a deleted Pod of the same workload, if none of these Pods is a leader. */
function staleLease(leases: readonly Lease[], pods: readonly Pod[], takenAt: string): Lease | undefined {
  const isStale = (lease: Lease): boolean => overdue(lease, takenAt) !== undefined;
  if (heldLeases(leases, pods).some(({ lease }) => !isStale(lease))) return undefined;
  return leases.find((lease) => isStale(lease) && isOfFormerPod(lease.spec?.holderIdentity ?? '', pods));
}

/** True if no Certificate of cert-manager fills the Secret of the serving certificate. */
function isOwnCertificate(callout: Callout, facts: WriterFacts): boolean {
  const serving = servingSecret(callout, facts);
  return serving !== undefined && certificateFor(serving, facts) === undefined;
}

/** Pods of the same workload that can wait until this Pod releases a lock. */
const siblingsWaitingFor = (holder: Pod, pods: readonly Pod[], takenAt: string): readonly Pod[] =>
  pods.filter(
    (pod) =>
      workloadOfPod(pod).name === workloadOfPod(holder).name && pod !== holder && canWait(pod, takenAt),
  );

const holderEvidence = ({ metadata, spec }: Lease): Evidence => ({
  object: refOf('Lease', metadata),
  field: 'spec.holderIdentity',
  value: spec?.holderIdentity ?? '',
});

/** A Lease that a Pod of an older revision renews, while Pods of the newest one wait. */
const heldByOlderPod = (
  leases: readonly Lease[],
  pods: readonly Pod[],
  takenAt: string,
): WriterProblem | undefined =>
  firstResult(heldLeases(leases, pods), ({ lease, pod: holder }) => {
    const newest = newestRevision([...siblingsWaitingFor(holder, pods, takenAt), holder]);
    const [first] = newest;
    if (first === undefined || newest.includes(holder) || overdue(lease, takenAt) !== undefined)
      return undefined;
    return {
      why: 'waitsForLease',
      pod: holder.metadata.name,
      writer: refText(refOfPod(first)),
      detail: `Lease ${keyOf(lease.metadata)}, which Pod ${holder.metadata.name} of an older revision holds`,
      evidence: [holderEvidence(lease)],
    };
  });

/** A Lease of a Pod that does not exist. */
function leftLease(
  leases: readonly Lease[],
  pods: readonly Pod[],
  callout: Callout,
  facts: WriterFacts,
): WriterProblem | undefined {
  const { takenAt } = facts;
  const running = pods.filter((pod) => canWait(pod, takenAt));
  const [first] = running;
  const abandoned = abandonedLease(leases, running, takenAt);
  const left = abandoned ?? staleLease(leases, running, takenAt);
  if (left === undefined || first === undefined || !(abandoned || isOwnCertificate(callout, facts)))
    return undefined;
  const { holderIdentity = '', leaseDurationSeconds = 0, renewTime } = left.spec ?? {};
  const seconds = Math.round(leaseDurationSeconds - (secondsSince(renewTime, takenAt) ?? 0));
  const rest = abandoned
    ? `for another ${seconds} s`
    : `not renewed for ${shortDuration(overdue(left, takenAt) ?? 0)}`;
  return {
    why: 'leftLease',
    lease: left.metadata.name,
    writer: refText(refOfPod(first)),
    detail: `Lease ${keyOf(left.metadata)} of ${holderIdentity}, ${rest}`,
    evidence: [holderEvidence(left)],
  };
}

/** A ConfigMap that a Pod owns as a lock, although the Pod has ended. */
const lockOfEndedPod = (
  locks: readonly Metadata[],
  pods: readonly Pod[],
  takenAt: string,
): WriterProblem | undefined =>
  firstResult(locks, (lock) => {
    const holder = pods.find((pod) => lock.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid));
    const state = holder && endedState(holder, takenAt);
    const [first] = holder === undefined ? [] : siblingsWaitingFor(holder, pods, takenAt);
    if (holder === undefined || state === undefined || first === undefined) return undefined;
    const { name } = holder.metadata;
    return {
      why: 'waitsForLock',
      pod: name,
      writer: refText(refOfPod(first)),
      detail: `ConfigMap ${keyOf(lock)}, which Pod ${name} (${state}) still owns`,
      evidence: [
        { object: refOf('ConfigMap', lock), field: 'metadata.ownerReferences', value: `Pod ${name}` },
        { object: refOfPod(holder), field: 'status.phase', value: `${holder.status.phase} ${state}` },
      ],
    };
  });

/**
 * Reports Pods of the newest revision that wait for a leader of an older one, for a Lease of a Pod that does
 * not exist, or for a lock of a Pod that has terminated.
 */
export function leaderProblem(callout: Callout, facts: WriterFacts): WriterProblem | undefined {
  const namespace = callout.client.service?.namespace ?? '';
  const pods = writerPods(callout, facts);
  const leases = facts.leases.getIfKnown(namespace) ?? [];
  return (
    heldByOlderPod(leases, pods, facts.takenAt) ??
    leftLease(leases, pods, callout, facts) ??
    lockOfEndedPod(facts.podConfigMaps.getIfKnown(namespace) ?? [], pods, facts.takenAt)
  );
}
