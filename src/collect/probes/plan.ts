import { serverHost } from '../../apiserver/routing/server-host.ts';
import { type Callout, isServiceBacked, isUrlBacked } from '../../facts/callout.ts';
import type { Unread } from '../../facts/unread.ts';
import { counted } from '../../phrases/lists.ts';
import { type CalloutQuestion, questionOf } from './question.ts';
import type { Partner, ProbePlan, ProbePlanFacts } from './run.ts';
import { mostReplicas, type ReplicaTarget, targetsOf, urlAddress } from './targets.ts';

/** Webhooks and APIServices with the same key share one conversation: same Pod, port and server name. */
export const conversationKey = (target: ReplicaTarget, serverName: string): string =>
  `${target.namespace}/${target.pod ?? ''}:${target.port} ${serverName}`;

/** The key for a URL. */
export const urlKey = (callout: Callout): string => {
  const at = urlAddress(callout.client.url ?? '');
  return `url ${at?.host ?? ''}:${at?.port ?? 0}`;
};

/** The probes of one webhook or APIService: what is sent, and where. */
export interface Planned {
  readonly callout: Callout;
  readonly calloutQuestion: CalloutQuestion;
  readonly targets: readonly ReplicaTarget[];
  readonly unread: readonly Unread[];
}

/** Selects up to the maximum number of Pods, and lists what is omitted, with the reason. */
export function planOf(callout: Callout, facts: ProbePlanFacts, plan: ProbePlan): Planned {
  const calloutQuestion =
    plan.question?.(callout) ?? questionOf(callout, facts, facts.version, plan.level === 'review');
  const notSent = calloutQuestion.notSent === undefined ? [] : [calloutQuestion.notSent];
  const targets = isServiceBacked(callout) ? targetsOf(callout, facts) : [];
  if (!Array.isArray(targets))
    return { callout, calloutQuestion, targets: [], unread: [...notSent, targets as Unread] };
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
    unread: left > 0 ? [...notSent, rest] : notSent,
  };
}

/** Groups webhooks and APIServices by conversation. */
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
