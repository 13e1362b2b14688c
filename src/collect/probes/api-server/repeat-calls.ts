import { ownCallEnd } from '../../../apiserver/connection/own-call.ts';
import { untriedAddresses } from '../../../apiserver/routing/untried-addresses.ts';
import type { Callout } from '../../../facts/callout.ts';
import type { DryRun } from '../../../facts/probes.ts';
import type { Unread } from '../../../facts/unread.ts';
import { isUnread, type ProbeRun } from '../run.ts';

/** The maximum duration of consecutive calls in milliseconds, and their maximum number. */
const patience = 5_000;
const most = 30;

const endOf = (callout: Callout, dryRun: DryRun) =>
  ownCallEnd(callout, { level: 'review', serverName: '', replicas: [], notTried: [], dryRun });

/** True if the call left no keep-alive connection. */
function opensNewConnection(callout: Callout, dryRun: DryRun): boolean {
  const end = endOf(callout, dryRun);
  return end.outcome === 'fails' && (end.link === 'network' || end.link === 'tls');
}

type Again = () => Promise<DryRun | Unread>;

/** Calls one after another, each over a new connection, until one succeeds. */
async function untilOnePasses(callout: Callout, again: Again, wanted: number): Promise<DryRun['again']> {
  const started = performance.now();
  const messages: string[] = [];
  while (messages.length < wanted && performance.now() - started < patience) {
    const next = await again();
    if (isUnread(next)) break;
    if (endOf(callout, next).outcome === 'passes') return { passed: true, messages };
    if (!opensNewConnection(callout, next)) break;
    messages.push(next.message);
  }
  return { passed: false, messages };
}

/** Calls in parallel: an HTTP/1.1 connection in use cannot be used by the next call. */
async function allAtOnce(callout: Callout, first: DryRun, again: Again, wanted: number): Promise<DryRun> {
  const all = await Promise.all(Array.from({ length: wanted }, again));
  const results = all.flatMap((one) => (isUnread(one) ? [] : [one]));
  const [failed, ...others] = results.filter((one) => endOf(callout, one).outcome === 'fails');
  if (failed !== undefined)
    return { ...failed, again: { passed: true, messages: others.map(({ message }) => message) } };
  return results.length < wanted ? first : { ...first, again: { passed: true, messages: [] } };
}

/**
 * Repeats a call if a Service has several addresses that cannot be probed one by one: the next new connection
 * may reach another address. A call that fails before any response leaves no keep-alive connection, so the
 * next call opens a new one: calls are repeated until one succeeds, or until enough have failed. After a
 * successful call, the same number of calls is made in parallel.
 */
export async function repeatCalls(
  { facts }: ProbeRun,
  callout: Callout,
  first: DryRun,
  again: Again,
): Promise<DryRun> {
  const addresses = untriedAddresses(callout, { ...facts, routing: { mode: undefined } });
  if (addresses === undefined) return first;
  const wanted = Math.min((addresses.enough ?? most) - 1, most);
  if (endOf(callout, first).outcome === 'passes') return allAtOnce(callout, first, again, wanted);
  if (!opensNewConnection(callout, first)) return first;
  const more = await untilOnePasses(callout, again, wanted);
  return more === undefined ? first : { ...first, again: more };
}
