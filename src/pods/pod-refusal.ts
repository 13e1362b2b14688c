import { type Event, lastSeen, newestEventsFirst } from '../facts/objects/event.ts';
import type { Condition } from '../facts/objects/metadata.ts';
import type { Workload } from '../facts/objects/workload.ts';
import type { Facts } from '../facts/snapshot.ts';
import { conditionOf } from '../facts/workloads/pod-state.ts';
import { wantedPods } from '../facts/workloads/workloads.ts';

/** The error of the API server when it refused a Pod, and the object and field that contain it. */
export interface PodRefusal {
  readonly text: string;
  readonly field: string;
  /** RFC 3339: the first refusal; undefined if not recorded. */
  readonly since: string | undefined;
}

/** The suffix of ReplicaSets after the name of their Deployment (util/rand SafeEncodeString). */
const templateHash = /^-[bcdfghjklmnpqrstvwxz2456789]+$/;

/** The latest Event about a refused Pod of the workload, or of one of its ReplicaSets. */
function refusedByEvent(workload: Workload, events: readonly Event[]): Event | undefined {
  const { name } = workload.metadata;
  const isAbout = ({ involvedObject: about }: Event): boolean =>
    (about.kind === workload.kind && about.name === name) ||
    (workload.kind === 'Deployment' &&
      about.kind === 'ReplicaSet' &&
      about.name?.startsWith(name) === true &&
      templateHash.test(about.name.slice(name.length)));
  return newestEventsFirst(events.filter((event) => event.reason === 'FailedCreate' && isAbout(event)))[0];
}

/** The error of the API server without the name of the Pod, which differs for each attempt. */
const sentence = (text: string): string =>
  text.replace(/^(\(combined from similar events\): )?(Error creating: )?/, '');
const unnamed = (text: string): string => sentence(text).replace(/^pods "[^"]*"/, 'pods');

/** True if the Event is newer: the condition keeps the first failure (replica_set_utils.go). */
function isOlderThan(condition: Condition & { readonly message: string }, event: Event | undefined): boolean {
  const [since, seen] = [condition.lastTransitionTime, event && lastSeen(event)];
  if (event?.message === undefined || since === undefined || seen === undefined) return false;
  return Date.parse(seen) > Date.parse(since) && unnamed(event.message) !== unnamed(condition.message);
}

/**
 * The refusal in a condition, which is removed when it no longer holds, or in an Event, if Pods are still
 * missing.
 */
export function podRefusalOf(workload: Workload, { events }: Pick<Facts, 'events'>): PodRefusal | undefined {
  const namespace = workload.metadata.namespace ?? '';
  const condition = conditionOf(workload.status.conditions, 'ReplicaFailure');
  // Pods that cannot be deleted fail as well, with FailedDelete.
  if (
    condition?.status === 'True' &&
    condition.reason !== 'FailedDelete' &&
    condition.message !== undefined
  ) {
    const { message, lastTransitionTime: since } = condition;
    const event = refusedByEvent(workload, events.getIfKnown(namespace) ?? []);
    return isOlderThan({ ...condition, message }, event)
      ? { text: sentence(event?.message ?? ''), field: 'events', since }
      : { text: message, field: 'status.conditions[ReplicaFailure]', since };
  }
  const made = workload.status.replicas ?? workload.status.numberReady ?? 0;
  if (made >= wantedPods(workload)) return undefined;
  const event = refusedByEvent(workload, events.get(namespace) ?? []);
  if (event?.message === undefined) return undefined;
  return {
    text: event.message,
    field: 'events',
    since: event.firstTimestamp ?? event.eventTime ?? lastSeen(event),
  };
}
