import { setTimeout as pause } from 'node:timers/promises';
import { ownCallEnd } from '../../../apiserver/connection/own-call.ts';
import { endpointsChangedWithin } from '../../../apiserver/routing/endpoints-changed.ts';
import { mayReachAnother } from '../../../apiserver/routing/untried-addresses.ts';
import { type Callout, isServiceBacked } from '../../../facts/callout.ts';
import { keyOf, ofKey } from '../../../facts/object-ref.ts';
import { type EndpointSlice, serviceNameLabel } from '../../../facts/objects/endpoint-slice.ts';
import type { DryRun } from '../../../facts/probes.ts';
import { pathOf, resources } from '../../../facts/resource.ts';
import type { Unread } from '../../../facts/unread.ts';
import { isUnread, type ProbeRun } from '../run.ts';
import { jsonOf, requestEnds } from './api-call.ts';

/** The result of one call by the API server itself. */
export const endOfDryRun = (callout: Callout, dryRun: DryRun) =>
  ownCallEnd(callout, { level: 'review', serverName: '', replicas: [], notTried: [], dryRun });

/**
 * Seconds after a change of endpoints in which kube-proxy may not have applied it, and milliseconds between calls
 * until then and for all of them. kube-proxy waits up to a second after its last change (minSyncPeriod).
 */
const [unsettledSeconds, betweenCalls, unsettledPatience] = [30, 1_000, 3_000];

const readyAddresses = (slices: readonly EndpointSlice[]): string =>
  slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .flatMap(({ addresses, conditions }) => (conditions?.ready === false ? [] : addresses.slice(0, 1)))
    .sort()
    .join();

/** True if the Service has other ready endpoints than those that this run has read: Pods were replaced in between. */
async function endpointsWereReplaced({ prober, facts }: ProbeRun, key: string): Promise<boolean> {
  const { namespace, name } = ofKey(key);
  const list = pathOf(resources.EndpointSlice, namespace);
  const selector = encodeURIComponent(`${serviceNameLabel}=${name}`);
  const answer = await prober.get(`${list}?labelSelector=${selector}`, requestEnds(prober));
  if (answer.status !== 200) return false;
  const now = readyAddresses(jsonOf<{ readonly items?: readonly EndpointSlice[] }>(answer).items ?? []);
  return now !== '' && now !== readyAddresses(facts.endpointSlices.getIfKnown(key) ?? []);
}

/** True if the endpoints of the Service have changed shortly before this run, or during it. */
async function isUnsettled(run: ProbeRun, callout: Callout): Promise<boolean> {
  if (!isServiceBacked(callout)) return false;
  if (endpointsChangedWithin(callout, run.facts, unsettledSeconds)) return true;
  const key = keyOf(callout.client.service);
  const replaced = run.replaced.get(key) ?? endpointsWereReplaced(run, key).catch(() => false);
  run.replaced.set(key, replaced);
  return replaced;
}

type Again = () => Promise<DryRun | Unread>;

/** Repeats a call that fails in the network until the nodes have applied a change of the endpoints. */
async function onceSettled(run: ProbeRun, callout: Callout, first: DryRun, again: Again): Promise<DryRun> {
  const started = performance.now();
  let last = first;
  while (performance.now() - started < unsettledPatience) {
    const end = endOfDryRun(callout, last);
    if (end.outcome !== 'fails' || end.link !== 'network') break;
    if (!(await isUnsettled(run, callout))) break;
    await pause(betweenCalls, undefined, { signal: run.signal });
    const next = await again();
    if (isUnread(next)) break;
    last = next;
  }
  return last;
}

/** The number of further calls. If one of two addresses responds, one run in 32 reaches the other one alone. */
const furtherCalls = 4;

/**
 * Repeats a call that fails shortly after the endpoints of its Service have changed, or if the Service has several
 * addresses that cannot be probed one by one: another one may respond. A call that fails before any response leaves no
 * keep-alive connection, so the next call opens a new one.
 */
export async function repeatCalls(
  run: ProbeRun,
  callout: Callout,
  first: DryRun,
  again: Again,
): Promise<DryRun> {
  const fails = (call: DryRun | Unread, links: readonly string[]): boolean => {
    const end = isUnread(call) ? undefined : endOfDryRun(callout, call);
    return end?.outcome === 'fails' && links.includes(end.link);
  };
  const last = await onceSettled(run, callout, first, again);
  const beforeResponse = ['network', 'tls'];
  const addresses = { ...run.facts, routing: { mode: undefined } };
  if (!fails(last, beforeResponse) || !mayReachAnother(callout, addresses)) return last;
  const more = await Promise.all(Array.from({ length: furtherCalls }, again));
  return more.every((call) => fails(call, [...beforeResponse, 'response']))
    ? { ...last, failsAgain: true }
    : last;
}
