import { secondsSince } from '../../basics/time.ts';
import type { Evidence } from '../../facts/evidence.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refOfPod } from '../../facts/workloads/workloads.ts';
import { impactOf } from '../admission/impact.ts';
import type { MatchFacts } from '../admission/match.ts';
import {
  creationOf,
  type HeldPod,
  type HoldingWebhooks,
  heldPodOf,
  holdingWebhooksOf,
  isSetInTemplate,
} from './holding-webhooks.ts';
import { defaultScheduler, domainOf, previousScheduler } from './placeholder-scheduler.ts';

/** Seconds that a scheduler gets to schedule a Pod, if it is unknown whether it exists. */
const schedulingDelay = 30;

/** A Pod that no scheduler may schedule, or will, and the webhooks that caused it. */
export interface PodHeldByWebhook extends HeldPod, HoldingWebhooks {
  /** The annotation that contains the previous schedulerName, if there is one. */
  readonly kept: Evidence | undefined;
}

/** The facts that show which webhooks hold Pods in Pending. */
export type HeldPodFacts = MatchFacts & Pick<Facts, 'callouts' | 'pendingPods' | 'podControllers'>;

function declarativeOwnerOf({ pod, owner, workload, by }: HeldPod): Evidence | undefined {
  const [name = ''] = 'scheduler' in by ? [by.scheduler] : by.gates;
  const places = [
    { object: refOfPod(pod), annotations: pod.metadata.annotations },
    { object: workload, annotations: owner?.metadata.annotations },
  ];
  for (const { object, annotations } of places) {
    const [key, value] = previousScheduler(annotations, domainOf(name)) ?? [];
    if (key !== undefined) return { object, field: `metadata.annotations[${key}]`, value: value ?? '' };
  }
  return undefined;
}

/** True if the schedulerName is not that of the template and looks like a path: a placeholder. */
const isPlaceholder = ({ owner, by }: HeldPod): boolean =>
  'scheduler' in by &&
  owner !== undefined &&
  !isSetInTemplate({ owner, by }) &&
  domainOf(by.scheduler) !== undefined;

/**
 * Pods without a scheduling attempt that a mutating webhook may hold: they are pending for longer than a
 * scheduler needs, or under a name that no scheduler has. A scheduler that has tried to schedule any Pod is a
 * real one for all Pods with its name. Throws NotKnown.
 */
export function podsHeldByWebhooks(facts: HeldPodFacts, now: string): readonly PodHeldByWebhook[] {
  const pending = facts.pendingPods.get('Pending') ?? [];
  const served = new Set(
    pending
      .filter(({ status }) =>
        status.conditions?.some(
          ({ type, reason }) => type === 'PodScheduled' && reason !== 'SchedulingGated',
        ),
      )
      .map(({ spec }) => spec.schedulerName ?? defaultScheduler),
  );
  return pending.flatMap((pod) => {
    const held = heldPodOf(pod, facts);
    if (held === undefined || ('scheduler' in held.by && served.has(held.by.scheduler))) return [];
    const kept = declarativeOwnerOf(held);
    const isYoung = (secondsSince(pod.metadata.creationTimestamp, now) ?? 0) < schedulingDelay;
    if (isYoung && kept === undefined && !isPlaceholder(held)) return [];
    const holders = holdingWebhooksOf(held, facts);
    return holders.webhooks.length === 0 ? [] : [{ ...held, ...holders, kept }];
  });
}

/**
 * True if the Pod is still held but new Pods of its workload are not: the template has another schedulerName,
 * and none of the webhooks matches the creation of such a Pod.
 */
export const isLeftOver = (held: PodHeldByWebhook, facts: MatchFacts): boolean =>
  held.owner !== undefined &&
  !isSetInTemplate(held) &&
  held.webhooks.every(
    (callout) => impactOf(callout, [{ request: creationOf(held.pod) }], facts).matched.length === 0,
  );
