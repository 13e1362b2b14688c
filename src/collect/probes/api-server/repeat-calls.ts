import { setTimeout as pause } from 'node:timers/promises';
import { ownCallEnd } from '../../../apiserver/connection/own-call.ts';
import { endpointsChangedWithin } from '../../../apiserver/routing/endpoints-changed.ts';
import { untriedAddresses } from '../../../apiserver/routing/untried-addresses.ts';
import { type Callout, isServiceBacked } from '../../../facts/callout.ts';
import { keyOf, ofKey } from '../../../facts/object-ref.ts';
import { type EndpointSlice, serviceNameLabel } from '../../../facts/objects/endpoint-slice.ts';
import type { DryRun } from '../../../facts/probes.ts';
import { pathOf, resources } from '../../../facts/resource.ts';
import type { Unread } from '../../../facts/unread.ts';
import { isUnread, type ProbeRun } from '../run.ts';
import { jsonOf, requestEnds } from './api-call.ts';

/** The maximum duration of consecutive calls in milliseconds, and their maximum number. */
const patience = 5_000;
const most = 30;

/** The result of one call by the API server itself. */
export const endOfDryRun = (callout: Callout, dryRun: DryRun) =>
  ownCallEnd(callout, { level: 'review', serverName: '', replicas: [], notTried: [], dryRun });

/** True if the call left no keep-alive connection. */
function opensNewConnection(callout: Callout, dryRun: DryRun): boolean {
  const end = endOfDryRun(callout, dryRun);
  return end.outcome === 'fails' && (end.link === 'network' || end.link === 'tls');
}

type Again = () => Promise<DryRun | Unread>;

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

/** Calls one after another, each over a new connection, until one succeeds. */
async function untilOnePasses(callout: Callout, again: Again, wanted: number): Promise<DryRun['again']> {
  const started = performance.now();
  const messages: string[] = [];
  while (messages.length < wanted && performance.now() - started < patience) {
    const next = await again();
    if (isUnread(next)) break;
    if (endOfDryRun(callout, next).outcome === 'passes') return { passed: true, messages };
    if (!opensNewConnection(callout, next)) break;
    messages.push(next.message);
  }
  return { passed: false, messages };
}

/** Calls in parallel: an HTTP/1.1 connection in use cannot be used by the next call. */
async function allAtOnce(callout: Callout, first: DryRun, again: Again, wanted: number): Promise<DryRun> {
  const all = await Promise.all(Array.from({ length: wanted }, again));
  const results = all.flatMap((one) => (isUnread(one) ? [] : [one]));
  const [failed, ...others] = results.filter((one) => endOfDryRun(callout, one).outcome === 'fails');
  if (failed !== undefined)
    return { ...failed, again: { passed: true, messages: others.map(({ message }) => message) } };
  return results.length < wanted ? first : { ...first, again: { passed: true, messages: [] } };
}

/**
 * Repeats a call that fails in the network shortly after the endpoints of its Service have changed, or if the Service has
 * several addresses that cannot be probed one by one: the next new connection may reach another address. A call that fails
 * before any response leaves no keep-alive connection, so the next call opens a new one: calls are repeated until one
 * succeeds, or until enough have failed. After a successful call, the same number of calls is made in parallel.
 */
export async function repeatCalls(
  run: ProbeRun,
  callout: Callout,
  once: DryRun,
  again: Again,
): Promise<DryRun> {
  const { facts } = run;
  const first = await onceSettled(run, callout, once, again);
  const addresses = untriedAddresses(callout, { ...facts, routing: { mode: undefined } });
  if (addresses === undefined) return first;
  const wanted = Math.min((addresses.enough ?? most) - 1, most);
  if (endOfDryRun(callout, first).outcome === 'passes') return allAtOnce(callout, first, again, wanted);
  if (!opensNewConnection(callout, first)) return first;
  const more = await untilOnePasses(callout, again, wanted);
  return more === undefined ? first : { ...first, again: more };
}
