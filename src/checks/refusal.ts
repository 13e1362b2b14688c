import { type Event, lastSeen } from '../facts/objects/event.ts';
import type { Workload } from '../facts/objects/workload.ts';
import { conditionOf } from '../facts/pod-state.ts';
import type { Facts } from '../facts/snapshot.ts';
import { wantedPods } from '../facts/workloads.ts';

/** What the API server said when it refused a Pod, and where that stands. */
export interface Refusal {
  readonly text: string;
  readonly field: string;
}

/** The latest refusal of a Pod that was to be made by the workload, or by one of its ReplicaSets. */
function refusedByEvent(workload: Workload, events: readonly Event[]): Event | undefined {
  const { name } = workload.metadata;
  const isAbout = ({ involvedObject: about }: Event): boolean =>
    (about.kind === workload.kind && about.name === name) ||
    (workload.kind === 'Deployment' &&
      about.kind === 'ReplicaSet' &&
      about.name?.startsWith(`${name}-`) === true);
  return events
    .filter((event) => event.reason === 'FailedCreate' && isAbout(event))
    .sort((a, b) => (lastSeen(b) ?? '').localeCompare(lastSeen(a) ?? ''))[0];
}

/** A condition is taken back when it no longer holds; an event stays for an hour and counts where Pods are missing. */
export function refusalOf(workload: Workload, { events }: Pick<Facts, 'events'>): Refusal | undefined {
  const condition = conditionOf(workload.status.conditions, 'ReplicaFailure');
  if (condition?.status === 'True' && condition.message !== undefined) {
    return { text: condition.message, field: 'status.conditions[ReplicaFailure]' };
  }
  const made = workload.status.replicas ?? workload.status.numberReady ?? 0;
  if (made >= wantedPods(workload)) return undefined;
  const text = refusedByEvent(workload, events.get(workload.metadata.namespace ?? '') ?? [])?.message;
  return text === undefined ? undefined : { text, field: 'events' };
}
