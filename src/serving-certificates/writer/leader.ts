import { secondsSince } from '../../basics/time.ts';
import type { Callout } from '../../facts/callout.ts';
import { keyOf, refOf, refText } from '../../facts/object-ref.ts';
import type { Lease } from '../../facts/objects/lease.ts';
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

/**
 * Reports Pods of the newest revision that wait for a leader of an older one, for a Lease of a Pod that does
 * not exist, or for a lock of a Pod that has terminated.
 */
export function leaderProblem(callout: Callout, facts: WriterFacts): WriterProblem | undefined {
  const namespace = callout.client.service?.namespace ?? '';
  const pods = writerPods(callout, facts);
  const leases = facts.leases.getIfKnown(namespace) ?? [];
  const siblings = (holder: Pod) =>
    pods.filter(
      (pod) =>
        workloadOfPod(pod).name === workloadOfPod(holder).name &&
        pod !== holder &&
        canWait(pod, facts.takenAt),
    );
  for (const { lease, pod: holder } of heldLeases(leases, pods)) {
    const newest = newestRevision([...siblings(holder), holder]);
    const [first] = newest;
    if (first === undefined || newest.includes(holder) || overdue(lease, facts.takenAt) !== undefined)
      continue;
    const value = lease.spec?.holderIdentity ?? '';
    return {
      why: 'waitsForLease',
      pod: holder.metadata.name,
      writer: refText(refOfPod(first)),
      detail: `Lease ${keyOf(lease.metadata)}, which Pod ${holder.metadata.name} of an older revision holds`,
      evidence: [{ object: refOf('Lease', lease.metadata), field: 'spec.holderIdentity', value }],
    };
  }
  const running = pods.filter((pod) => canWait(pod, facts.takenAt));
  const [waitingPod] = running;
  const abandoned = abandonedLease(leases, running, facts.takenAt);
  const left = abandoned ?? staleLease(leases, running, facts.takenAt);
  if (left !== undefined && waitingPod !== undefined && (abandoned || isOwnCertificate(callout, facts))) {
    const { holderIdentity: value = '', leaseDurationSeconds = 0, renewTime } = left.spec ?? {};
    const seconds = Math.round(leaseDurationSeconds - (secondsSince(renewTime, facts.takenAt) ?? 0));
    const rest = abandoned
      ? `for another ${seconds} s`
      : `not renewed for ${shortDuration(overdue(left, facts.takenAt) ?? 0)}`;
    return {
      why: 'leftLease',
      lease: left.metadata.name,
      writer: refText(refOfPod(waitingPod)),
      detail: `Lease ${keyOf(left.metadata)} of ${value}, ${rest}`,
      evidence: [{ object: refOf('Lease', left.metadata), field: 'spec.holderIdentity', value }],
    };
  }
  for (const lock of facts.podConfigMaps.getIfKnown(namespace) ?? []) {
    const holder = pods.find((pod) => lock.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid));
    const state = holder && endedState(holder, facts.takenAt);
    const [first] = holder === undefined ? [] : siblings(holder);
    if (holder === undefined || state === undefined || first === undefined) continue;
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
  }
  return undefined;
}
