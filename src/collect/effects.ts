import { mayCover } from '../apiserver/admission/impact.ts';
import { type Parked, parkedOf } from '../apiserver/held-pods/holding-webhooks.ts';
import { inputsOf, isParked } from '../apiserver/held-pods/placeholder-scheduler.ts';
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
import { collectDenials } from './collectors/denials.ts';
import { collectDisruptionBudgets, disruptionBudgetRights } from './collectors/disruption-budgets.ts';
import { collectInputs, collectPendingPods, parkedRights } from './collectors/parked.ts';
import { notRequested } from './collectors/readings.ts';
import {
  collectMakers,
  collectRefusals,
  type MakerName,
  refusalRights,
  refusedMakers,
} from './collectors/refusals.ts';
import type { ProbeFacts } from './probes/run.ts';
import type { Suspect } from './suspects.ts';

/** What {@link collectEffects} needs. */
export const effectRights: readonly Right[] = [...refusalRights, ...parkedRights, ...disruptionBudgetRights];

/** Tries out who of several webhooks parked Pods. */
export type TryParking = (facts: ProbeFacts, parked: readonly Parked[]) => Promise<Facts['parkingTrials']>;

export type EffectFacts = Pick<Facts, 'refusals' | 'makers' | 'pendingPods' | 'inputs' | 'disruptionBudgets'>;

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
    refusals: nothingRead(rest),
    makers: nothingRead(rest),
    pendingPods: nothingRead(rest),
    inputs: nothingRead(rest),
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
  const [refusals, pendingPods, disruptionBudgets] = await Promise.all([
    collectRefusals(read, maybe.length > 0),
    collectPendingPods(read, everything && asked.some(mayPark)),
    collectDisruptionBudgets(
      read,
      everything ? [...new Set(suspects.map(({ namespace }) => namespace))] : [],
    ),
  ]);
  const events = refusals.known('FailedCreate') ? (refusals.get('FailedCreate') ?? []) : [];
  const waiting = pendingPods.known('Pending') ? (pendingPods.get('Pending') ?? []) : [];
  const parked = waiting.filter(isParked).slice(0, atMost.parked);
  const owners = parked.flatMap((pod): readonly MakerName[] => {
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
  const refused = refusedMakers(events, maybe).slice(0, atMost.makers);
  const [makers, inputs] = await Promise.all([
    collectMakers(read, [...refused, ...owners]),
    collectInputs(read, parked.flatMap(inputsOf).slice(0, atMost.inputs)),
  ]);
  return { refusals, makers, pendingPods, inputs, disruptionBudgets };
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
): Promise<Facts['denials']> {
  const waiting = pendingPods.known('Pending') ? (pendingPods.get('Pending') ?? []) : [];
  const parkers = waiting.some(isParked) ? asked.filter(mayPark).filter(isServiceBacked) : [];
  const keys = parkers.map(({ client }) => keyOf(client.service)).filter((key) => pods.known(key));
  return collectDenials(read, new Map(keys.map((key) => [key, pods.get(key) ?? []])));
}

/** Who parked Pods, where objects leave several webhooks in question and somebody may ask them. */
export async function collectParkingTrials(
  facts: ProbeFacts,
  { pendingPods, makers }: Pick<Facts, 'pendingPods' | 'makers'>,
  ask: TryParking | undefined,
): Promise<Facts['parkingTrials']> {
  const waiting = pendingPods.known('Pending') ? (pendingPods.get('Pending') ?? []) : [];
  const parked = waiting.flatMap((pod) => parkedOf(pod, { makers }) ?? []);
  return ask === undefined || parked.length === 0
    ? nothingRead(notRequested('who parked Pods'))
    : ask(facts, parked);
}
