import { serverHost } from '../../apiserver/certificate/server-host.ts';
import { type Callout, isServiceBacked, isUrlBacked } from '../../facts/callout.ts';
import type { Unread } from '../../facts/unread.ts';
import { counted } from '../../phrases/numbers.ts';
import { type CalloutQuestion, questionOf } from './question.ts';
import type { Partner, ProbePlan, ProbePlanFacts } from './run.ts';
import { mostReplicas, type ReplicaTarget, targetsOf, urlAddress } from './targets.ts';

/** Callouts with the same key are asked in one conversation: the same Pod and port, under the same name. */
export const conversationKey = (target: ReplicaTarget, serverName: string): string =>
  `${target.namespace}/${target.pod ?? ''}:${target.port} ${serverName}`;

/** The same for a URL. */
export const urlKey = (callout: Callout): string => {
  const at = urlAddress(callout.client.url ?? '');
  return `url ${at?.host ?? ''}:${at?.port ?? 0}`;
};

/** What a callout is about to be asked, and where. */
export interface Planned {
  readonly callout: Callout;
  readonly calloutQuestion: CalloutQuestion;
  readonly targets: readonly ReplicaTarget[];
  readonly unread: readonly Unread[];
}

/** At most so many replicas of a callout, and what is left out, with the reason. */
export function planOf(callout: Callout, facts: ProbePlanFacts, plan: ProbePlan): Planned {
  const calloutQuestion =
    plan.question?.(callout) ?? questionOf(callout, facts, facts.version, plan.level === 'review');
  const unasked = calloutQuestion.unasked === undefined ? [] : [calloutQuestion.unasked];
  const targets = isServiceBacked(callout) ? targetsOf(callout, facts) : [];
  if (!Array.isArray(targets))
    return { callout, calloutQuestion, targets: [], unread: [...unasked, targets as Unread] };
  const left = targets.length - mostReplicas;
  const rest: Unread = {
    what: `${counted(left, 'more Pod')}`,
    why: 'not-requested',
    detail: `${mostReplicas} of ${targets.length} Pods are probed`,
  };
  return {
    callout,
    calloutQuestion,
    targets: targets.slice(0, mostReplicas),
    unread: left > 0 ? [...unasked, rest] : unasked,
  };
}

/** Who takes part in which conversation. */
export function partnersOf(plans: readonly Planned[]): ReadonlyMap<string, readonly Partner[]> {
  const partners = new Map<string, Partner[]>();
  for (const { callout, calloutQuestion, targets } of plans) {
    const partner = { question: calloutQuestion.question, timeout: callout.timeoutSeconds * 1000 };
    const serverName = serverHost(callout) ?? '';
    const keys = isUrlBacked(callout)
      ? [urlKey(callout)]
      : targets.map((target) => conversationKey(target, serverName));
    for (const key of keys) partners.set(key, [...(partners.get(key) ?? []), partner]);
  }
  return partners;
}
