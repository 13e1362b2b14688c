import { type Blame, blame } from '../apiserver/sentences/call-error/blamed.ts';
import { groupBy } from '../basics/collections.ts';
import { derive } from '../basics/derive.ts';
import type { Callout } from '../facts/callout.ts';
import type { Evidence } from '../facts/evidence.ts';
import { type ObjectRef, refOf, refText } from '../facts/object-ref.ts';
import { type Event, lastSeen, newestEventsFirst } from '../facts/objects/event.ts';
import { missingPods, type PodController } from '../facts/objects/pod-controller.ts';
import type { Facts } from '../facts/snapshot.ts';
import { controllerOf } from '../facts/workloads/workloads.ts';
import { counted, listed } from '../phrases/lists.ts';

/** A workload with missing Pods because the API server refused them, with the error of its newest Event. */
export interface RefusedPods {
  readonly blame: Blame;
  /** The Deployment, if the Event is about its ReplicaSet. */
  readonly workload: ObjectRef;
  /** The object of the Event: a ReplicaSet of the Deployment, or the workload itself. */
  readonly maker: PodController;
  readonly missing: number;
  /** RFC 3339; undefined if not known. */
  readonly since: string | undefined;
  readonly event: Event;
}

const keyOfEvent = ({ involvedObject: { kind, namespace, name } }: Event): string =>
  `${kind} ${namespace}/${name}`;

/** The workload to report: the Deployment of a ReplicaSet. */
function workloadOf({ kind, metadata }: PodController): ObjectRef {
  const { namespace, name } = metadata;
  const owner = controllerOf(metadata);
  const known = owner?.kind === 'Deployment' ? { kind: owner.kind, name: owner.name } : { kind, name };
  return { ...known, ...(namespace === undefined ? {} : { namespace }) };
}

/** The start of the failure: the condition ReplicaFailure is kept longer than Events. */
function sinceOf({ status }: PodController, events: readonly Event[]): string | undefined {
  const failure = status?.conditions?.find(
    ({ type, status: is, reason }) => type === 'ReplicaFailure' && is === 'True' && reason === 'FailedCreate',
  );
  const times = events.flatMap((event) => event.firstTimestamp ?? event.eventTime ?? lastSeen(event) ?? []);
  return [
    ...(failure?.lastTransitionTime === undefined ? [] : [failure.lastTransitionTime]),
    ...times,
  ].sort()[0];
}

type RefusalFacts = Pick<Facts, 'callouts' | 'failedCreateEvents' | 'podControllers'>;

function byObject(events: readonly Event[]): readonly (readonly [Event, ...Event[]])[] {
  return [...groupBy(newestEventsFirst(events), keyOfEvent).values()];
}

/**
 * The workloads in Events that still have missing Pods. Workloads that have their Pods now, or were deleted,
 * are omitted. Throws NotKnown if the Events could not be read.
 */
export const refusedWork = derive(
  ['callouts', 'failedCreateEvents', 'podControllers'],
  ({ callouts, failedCreateEvents, podControllers }: RefusalFacts): readonly RefusedPods[] =>
    byObject(failedCreateEvents.get('FailedCreate') ?? []).flatMap((events) => {
      const [newest] = events;
      const blamed = blame(newest.message ?? '', callouts);
      const key = keyOfEvent(newest);
      if (blamed === undefined || !podControllers.known(key)) return [];
      const maker = podControllers.get(key);
      if (maker === undefined || maker.metadata.uid !== (newest.involvedObject.uid ?? maker.metadata.uid))
        return [];
      const missing = missingPods(maker);
      if (missing === 0) return [];
      const since = sinceOf(maker, events);
      return [{ blame: blamed, workload: workloadOf(maker), maker, missing, since, event: newest }];
    }),
);

/** The workloads whose Pods one webhook rejected. */
export const refusedBy = (callout: Callout, facts: RefusalFacts): readonly RefusedPods[] =>
  refusedWork(facts).filter(({ blame: { callouts } }) => callouts.includes(callout));

const shown = 3;

/** For messages: the number of missing Pods, and their workloads; the one with most missing Pods comes first. */
export const refusedText = (refused: readonly RefusedPods[]) => ({
  pods: counted(
    refused.reduce((sum, { missing }) => sum + missing, 0),
    'Pod',
  ),
  workloads: listed(
    [...refused].sort((a, b) => b.missing - a.missing).map(({ workload }) => refText(workload)),
    { most: shown },
  ),
});

/** The Events about the refused Pods. */
export const refusedEvidence = (refused: readonly RefusedPods[]): readonly Evidence[] =>
  refused.map(({ event, workload }) => {
    const { kind = workload.kind, namespace, name = workload.name } = event.involvedObject;
    return {
      object: refOf(kind, { namespace, name }),
      field: 'Event FailedCreate',
      value: event.message ?? '',
    };
  });
