import { serverHost } from '../../apiserver/routing/server-host.ts';
import { type Callout, isServiceBacked, isUrlBacked } from '../../facts/callout.ts';
import type { Unread } from '../../facts/unread.ts';
import { counted } from '../../phrases/lists.ts';
import { type CalloutPayload, payloadOf } from './payload.ts';
import type { ProbePlan, ProbePlanFacts, TimedPayload } from './run.ts';
import { mostReplicas, type ReplicaTarget, targetsOf, urlAddress } from './targets.ts';

/** Webhooks and APIServices with the same key share one connection: same Pod, port and server name. */
export const connectionKey = (target: ReplicaTarget, serverName: string): string =>
  `${target.namespace}/${target.pod ?? ''}:${target.port} ${serverName}`;

/** The key for a URL. */
export const urlKey = (callout: Callout): string => {
  const at = urlAddress(callout.client.url ?? '');
  return `url ${at?.host ?? ''}:${at?.port ?? 0}`;
};

/** The probes of one webhook or APIService: what is sent, and where. */
export interface Planned {
  readonly callout: Callout;
  readonly calloutPayload: CalloutPayload;
  readonly targets: readonly ReplicaTarget[];
  readonly unread: readonly Unread[];
}

/** Selects up to the maximum number of Pods, and lists what is omitted, with the reason. */
export function probePlan(callout: Callout, facts: ProbePlanFacts, plan: ProbePlan): Planned {
  const calloutPayload =
    plan.payload?.(callout) ?? payloadOf(callout, facts, facts.version, plan.level === 'review');
  const notSent = calloutPayload.notSent === undefined ? [] : [calloutPayload.notSent];
  const targets = isServiceBacked(callout) ? targetsOf(callout, facts) : [];
  if (!Array.isArray(targets))
    return { callout, calloutPayload, targets: [], unread: [...notSent, targets as Unread] };
  const left = targets.length - mostReplicas;
  const rest: Unread = {
    what: `${counted(left, 'more Pod')}`,
    why: 'not-requested',
    detail: `${mostReplicas} of ${targets.length} Pods are probed`,
  };
  return {
    callout,
    calloutPayload,
    targets: targets.slice(0, mostReplicas),
    unread: left > 0 ? [...notSent, rest] : notSent,
  };
}

/** Groups the payloads of webhooks and APIServices by peer. */
export function payloadsByPeer(plans: readonly Planned[]): ReadonlyMap<string, readonly TimedPayload[]> {
  const payloads = new Map<string, TimedPayload[]>();
  for (const { callout, calloutPayload, targets } of plans) {
    const payload = { payload: calloutPayload.payload, timeout: callout.timeoutSeconds * 1000 };
    const serverName = serverHost(callout) ?? '';
    const keys = isUrlBacked(callout)
      ? [urlKey(callout)]
      : targets.map((target) => connectionKey(target, serverName));
    for (const key of keys) payloads.set(key, [...(payloads.get(key) ?? []), payload]);
  }
  return payloads;
}
