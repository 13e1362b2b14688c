import type { Evidence } from '../../facts/evidence.ts';
import { secondsSince } from '../../facts/seconds.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refOfPod } from '../../facts/workloads.ts';
import { impactOf } from '../admission/impact.ts';
import type { MatchFacts } from '../admission/match.ts';
import {
  cameWithTemplate,
  creationOf,
  type HeldPod,
  type HoldingWebhooks,
  heldPodOf,
  holdingWebhooksOf,
} from './holding-webhooks.ts';
import { defaultScheduler, domainOf, keptScheduler } from './placeholder-scheduler.ts';

/** A scheduler takes up a Pod within moments; seconds that it is given where nothing shows that it is none. */
const patience = 30;

/** A Pod that no scheduler may, or will, take up, and what made it so. */
export interface PodHeldByWebhook extends HeldPod, HoldingWebhooks {
  /** The annotation that keeps the former scheduler's name, where one does. */
  readonly kept: Evidence | undefined;
}

export type HeldPodFacts = MatchFacts &
  Pick<Facts, 'callouts' | 'pendingPods' | 'podControllers' | 'parkingTrials'>;

function keptBy({ pod, owner, workload, by }: HeldPod): Evidence | undefined {
  const [name = ''] = 'scheduler' in by ? [by.scheduler] : by.gates;
  const places = [
    { object: refOfPod(pod), annotations: pod.metadata.annotations },
    { object: workload, annotations: owner?.metadata.annotations },
  ];
  for (const { object, annotations } of places) {
    const [key, value] = keptScheduler(annotations, domainOf(name)) ?? [];
    if (key !== undefined) return { object, field: `metadata.annotations[${key}]`, value: value ?? '' };
  }
  return undefined;
}

/** True if the template has another schedulerName, and the name looks like a path: a placeholder that holds the Pod. */
const isPlaceholder = ({ owner, by }: HeldPod): boolean =>
  'scheduler' in by &&
  owner !== undefined &&
  !cameWithTemplate({ owner, by }) &&
  domainOf(by.scheduler) !== undefined;

/**
 * Pods that wait without a scheduler having said a word, for longer than a scheduler takes or under a name that is shown to
 * be no scheduler's, and that a mutating webhook may have made so. A scheduler that has spoken of any Pod serves all of its name. Throws NotKnown.
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
    const kept = keptBy(held);
    const isYoung = (secondsSince(pod.metadata.creationTimestamp, now) ?? 0) < patience;
    if (isYoung && kept === undefined && !isPlaceholder(held)) return [];
    const holders = holdingWebhooksOf(held, facts);
    return holders.webhooks.length === 0 ? [] : [{ ...held, ...holders, kept }];
  });
}

/** Its template has the former scheduler again: what holds templates has released it, and this Pod was made before. */
export const isLeftOver = (held: PodHeldByWebhook, facts: MatchFacts): boolean =>
  held.owner !== undefined &&
  !cameWithTemplate(held) &&
  held.webhooks.every(
    (callout) => impactOf(callout, [{ request: creationOf(held.pod) }], facts).matched.length === 0,
  );
