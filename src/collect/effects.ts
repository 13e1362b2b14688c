import { mayCover } from '../apiserver/admission/impact.ts';
import { type Parked, parkedOf } from '../apiserver/held-pods/holding-webhooks.ts';
import { isParked, podReferencesOf } from '../apiserver/held-pods/placeholder-scheduler.ts';
import {
  type AdmissionCallout,
  type Callout,
  failsOpen,
  isAdmission,
  isServiceBacked,
} from '../facts/callout.ts';
import { nothingRead } from '../facts/lookup.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { Right } from '../facts/right.ts';
import type { Facts } from '../facts/snapshot.ts';
import { workloadOfPod } from '../facts/workloads.ts';
import type { Attempts } from './attempts.ts';
import { collectDisruptionBudgets, disruptionBudgetRights } from './collectors/disruption-budgets.ts';
import {
  collectFailedCreateEvents,
  collectPodControllers,
  failedCreateRights,
  type PodControllerName,
  podControllersOf,
} from './collectors/failed-create-events.ts';
import { collectPendingPods, collectPodReferences, parkedRights } from './collectors/parked.ts';
import { collectRbacDenials } from './collectors/rbac-denials.ts';
import { notRequested } from './collectors/readings.ts';
import type { ProbeFacts } from './probes/run.ts';
import type { Suspect } from './suspects.ts';

/** What {@link collectEffects} needs. */
export const effectRights: readonly Right[] = [
  ...failedCreateRights,
  ...parkedRights,
  ...disruptionBudgetRights,
];

/** Tries out who of several webhooks parked Pods. */
export type TryParking = (facts: ProbeFacts, parked: readonly Parked[]) => Promise<Facts['parkingTrials']>;

export type EffectFacts = Pick<
  Facts,
  'failedCreateEvents' | 'podControllers' | 'pendingPods' | 'podReferences' | 'disruptionBudgets'
>;

/** Reads of one kind in one run. */
const atMost = { makers: 20, parked: 20, inputs: 20 };

const create = (group: string, resource: string) => ({
  operation: 'CREATE' as const,
  group,
  version: 'v1',
  resource,
});
const pods = create('', 'pods');
/** Where a webhook that parks Pods can do it. */
const templates = [
  pods,
  create('apps', 'deployments'),
  create('apps', 'replicasets'),
  create('apps', 'statefulsets'),
  create('apps', 'daemonsets'),
  create('batch', 'jobs'),
];

const stopsPods = (callout: Callout): callout is AdmissionCallout =>
  isAdmission(callout) && !failsOpen(callout) && mayCover(callout, pods);

const mayPark = (callout: Callout): boolean =>
  callout.kind === 'mutating' && templates.some((request) => mayCover(callout, request));

/** What nobody asks about when only certificates count. */
export const noEffects = (): EffectFacts => {
  const rest = notRequested('effects');
  return {
    failedCreateEvents: nothingRead(rest),
    podControllers: nothingRead(rest),
    pendingPods: nothingRead(rest),
    podReferences: nothingRead(rest),
    disruptionBudgets: nothingRead(rest),
  };
};

/**
 * What callouts have done already. Where the backend of one that stops Pods is suspect, one list of events and what
 * those name; where somebody asked closely, the Pods that wait and the budgets of backends as well.
 */
export async function collectEffects(
  read: Attempts,
  asked: readonly Callout[],
  suspects: readonly Suspect[],
  everything: boolean,
): Promise<EffectFacts> {
  const troubled = new Set(suspects.map(({ key }) => key));
  const maybe = asked.filter(
    (callout) =>
      stopsPods(callout) &&
      // Of a URL no object tells whether anybody answers there.
      (everything || !isServiceBacked(callout) || troubled.has(keyOf(callout.client.service))),
  );
  const [failedCreateEvents, pendingPods, disruptionBudgets] = await Promise.all([
    collectFailedCreateEvents(read, maybe.length > 0),
    collectPendingPods(read, everything && asked.some(mayPark)),
    collectDisruptionBudgets(
      read,
      everything ? [...new Set(suspects.map(({ namespace }) => namespace))] : [],
    ),
  ]);
  const events = failedCreateEvents.known('FailedCreate')
    ? (failedCreateEvents.get('FailedCreate') ?? [])
    : [];
  const waiting = pendingPods.known('Pending') ? (pendingPods.get('Pending') ?? []) : [];
  const parked = waiting.filter(isParked).slice(0, atMost.parked);
  const owners = parked.flatMap((pod): readonly PodControllerName[] => {
    const { kind, name } = workloadOfPod(pod);
    const { namespace = '' } = pod.metadata;
    return kind === 'Deployment' ||
      kind === 'ReplicaSet' ||
      kind === 'StatefulSet' ||
      kind === 'DaemonSet' ||
      kind === 'Job'
      ? [{ kind, namespace, name }]
      : [];
  });
  const refused = podControllersOf(events, maybe).slice(0, atMost.makers);
  const [podControllers, podReferences] = await Promise.all([
    collectPodControllers(read, [...refused, ...owners]),
    collectPodReferences(read, parked.flatMap(podReferencesOf).slice(0, atMost.inputs)),
  ]);
  return { failedCreateEvents, podControllers, pendingPods, podReferences, disruptionBudgets };
}

/**
 * What the Pods behind webhooks that may have parked others are not allowed to do, by their own words: usually what
 * parks also releases. Nothing is read where no Pod is parked.
 */
export function collectDenialsOfParkers(
  read: Attempts,
  asked: readonly Callout[],
  { pods }: Pick<Facts, 'pods'>,
  { pendingPods }: Pick<Facts, 'pendingPods'>,
): Promise<Facts['rbacDenials']> {
  const waiting = pendingPods.known('Pending') ? (pendingPods.get('Pending') ?? []) : [];
  const parkers = waiting.some(isParked) ? asked.filter(mayPark).filter(isServiceBacked) : [];
  const keys = parkers.map(({ client }) => keyOf(client.service)).filter((key) => pods.known(key));
  return collectRbacDenials(read, new Map(keys.map((key) => [key, pods.get(key) ?? []])));
}

/** Who parked Pods, where objects leave several webhooks in question and somebody may ask them. */
export async function collectParkingTrials(
  facts: ProbeFacts,
  { pendingPods, podControllers }: Pick<Facts, 'pendingPods' | 'podControllers'>,
  ask: TryParking | undefined,
): Promise<Facts['parkingTrials']> {
  const waiting = pendingPods.known('Pending') ? (pendingPods.get('Pending') ?? []) : [];
  const parked = waiting.flatMap((pod) => parkedOf(pod, { podControllers }) ?? []);
  return ask === undefined || parked.length === 0
    ? nothingRead(notRequested('who parked Pods'))
    : ask(facts, parked);
}
