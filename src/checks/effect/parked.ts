import { impactOf } from '../../apiserver/impact.ts';
import type { MatchFacts } from '../../apiserver/match.ts';
import { domainOf, requestsFor, webhooksFor } from '../../apiserver/parking-webhooks.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import { keyOf, type ObjectRef } from '../../facts/object-ref.ts';
import type { Pod } from '../../facts/objects/pod.ts';
import type { PodMaker } from '../../facts/objects/pod-maker.ts';
import { defaultScheduler, gatesOf, silentScheduler } from '../../facts/parked-pods.ts';
import { secondsSince } from '../../facts/seconds.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { workloadOfPod } from '../../facts/workloads.ts';
import type { Evidence } from '../check.ts';

/** A scheduler takes up a Pod within moments. */
const patience = 30;

/** A Pod that no scheduler may, or will, take up, and what made it so. */
export interface ParkedPod {
  readonly pod: Pod;
  /** The Deployment, StatefulSet or other that makes it; undefined where it has none, or nobody could look. */
  readonly owner: PodMaker | undefined;
  readonly workload: ObjectRef;
  /** The scheduler that nobody runs, or the gates. */
  readonly by: { readonly scheduler: string } | { readonly gates: readonly string[] };
  /** The annotation that keeps the former scheduler's name, where one does. */
  readonly kept: Evidence | undefined;
  /** Webhooks that may have done it; the ones that the parked name's domain names, where it names any. */
  readonly webhooks: readonly AdmissionCallout[];
}

export type ParkedFacts = MatchFacts & Pick<Facts, 'callouts' | 'pendingPods' | 'makers'>;

function annotationOf(domain: string, object: ObjectRef, annotations: Readonly<Record<string, string>> = {}) {
  const found = Object.entries(annotations).find(([key]) => key.startsWith(`${domain}/`));
  if (found === undefined) return undefined;
  const [key, value] = found;
  return { object, field: `metadata.annotations[${key}]`, value };
}

/** What its template asks for is not what the Pod has: it was changed on the way to the API server. */
const changedAtPod = (owner: PodMaker | undefined, by: ParkedPod['by']): boolean => {
  const spec = owner?.spec.template.spec;
  if (spec === undefined) return true;
  return 'scheduler' in by
    ? (spec.schedulerName ?? defaultScheduler) !== by.scheduler
    : by.gates.some((gate) => !spec.schedulingGates?.some(({ name }) => name === gate));
};

function parkedPod(pod: Pod, facts: ParkedFacts): ParkedPod | undefined {
  const scheduler = silentScheduler(pod);
  const gates = gatesOf(pod);
  if (scheduler === undefined && gates.length === 0) return undefined;
  const by = gates.length > 0 || scheduler === undefined ? { gates } : { scheduler };
  const { namespace = '' } = pod.metadata;
  const workload = { ...workloadOfPod(pod), namespace };
  const key = `${workload.kind} ${keyOf(workload)}`;
  const owner = facts.makers.known(key) ? facts.makers.get(key) : undefined;
  const domain = domainOf('scheduler' in by ? by.scheduler : (by.gates[0] ?? ''));
  const kept =
    domain === undefined
      ? undefined
      : (annotationOf(
          domain,
          { kind: 'Pod', namespace, name: pod.metadata.name },
          pod.metadata.annotations,
        ) ??
        (owner && annotationOf(domain, workload, owner.metadata.annotations)));
  return { pod, owner, workload, by, kept, webhooks: webhooksFor(pod, workload, domain, facts) };
}

/**
 * Pods that wait without a scheduler having said a word, for longer than a scheduler takes, and that a mutating webhook
 * may have made so. A scheduler that has spoken of any Pod serves all of its name. Throws NotKnown.
 */
export function parkedPods(facts: ParkedFacts, now: string): readonly ParkedPod[] {
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
    if ((secondsSince(pod.metadata.creationTimestamp, now) ?? 0) < patience) return [];
    const parked = parkedPod(pod, facts);
    if (parked === undefined || parked.webhooks.length === 0) return [];
    return 'scheduler' in parked.by && served.has(parked.by.scheduler) ? [] : [parked];
  });
}

/** Its template has the former scheduler again: what parks templates has released it, and this Pod was made before. */
export const isLeftOver = ({ owner, by, webhooks, workload, pod }: ParkedPod, facts: MatchFacts): boolean => {
  if (owner === undefined || !changedAtPod(owner, by)) return false;
  const [ofPod] = requestsFor(pod, workload);
  return (
    ofPod !== undefined &&
    webhooks.every((callout) => impactOf(callout, [{ request: ofPod }], facts).asked.length === 0)
  );
};
