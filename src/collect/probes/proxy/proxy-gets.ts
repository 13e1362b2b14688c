import { setTimeout as delay } from 'node:timers/promises';
import { type Callout, isReviewed } from '../../../facts/callout.ts';
import type { CalloutProbes, ProxyResponse } from '../../../facts/probes.ts';
import type { Unread } from '../../../facts/unread.ts';
import { endOfDryRun } from '../api-server/repeat-calls.ts';
import type { PodPort } from '../connection/peer.ts';
import type { Planned } from '../plan.ts';
import type { ProbeRun } from '../run.ts';
import { isClosed, probeThroughProxy } from './probe-through-proxy.ts';
import { proxyText } from './proxies.ts';

/** Milliseconds that a GET waits for other probes. A Pod that hangs for them does not end because of a GET. */
const patience = 1_000;

/**
 * Sends a GET to a Pod through the proxy, when it can disturb no other probe. Undefined: none is requested.
 *
 * @param timeout in milliseconds.
 * @param reviewed ends with the review of this Pod.
 */
export type ProxyGet = (
  target: PodPort,
  timeout: number,
  reviewed: Promise<unknown>,
) => Promise<ProxyResponse | Unread | undefined>;

/**
 * The order of the GET requests to the Pods of a callout. The handler of a webhook may expect reviews only, and a GET
 * can end its process. It therefore comes after the review of the Pod and the API server's own call. One Pod of a
 * Service receives it first: if that connection is closed, no other Pod receives it. The handler of a single Pod receives
 * none if the API server's own call has reached it.
 *
 * @param own ends with the API server's own call.
 */
export function orderedProxyGets(
  run: ProbeRun,
  { callout, targets }: Planned,
  own: Promise<Pick<CalloutProbes, 'dryRun' | 'notTried'>>,
): ProxyGet {
  if (run.plan.replicasOnly) return async () => undefined;
  const { service } = callout.client;
  if (!isReviewed(callout) || service === undefined)
    return (target, timeout) => probeThroughProxy(run, target, timeout);
  const place = `${service.namespace}/${service.name}`;
  return async (target, timeout, reviewed) => {
    const [call] = (await soon(run, Promise.all([own, reviewed]))) ?? [];
    if (targets.length === 1 && call !== undefined && isReachedBy(callout, call))
      return probeThroughProxy(run, target, timeout, 'http');
    const first = run.firstGets.get(place);
    const answer = first && (await soon(run, first));
    if (answer !== undefined && isClosed(answer))
      return {
        what: proxyText(target),
        why: 'not-requested',
        detail: 'another Pod of the Service closed the connection after a GET',
      };
    const response = probeThroughProxy(run, target, timeout);
    if (first === undefined) run.firstGets.set(place, response);
    return response;
  };
}

/** True if the API server's own call got a response from the server. */
function isReachedBy(callout: Callout, { dryRun }: Pick<CalloutProbes, 'dryRun' | 'notTried'>): boolean {
  if (dryRun === undefined) return false;
  const end = endOfDryRun(callout, dryRun);
  return end.outcome === 'passes' || (end.outcome === 'fails' && end.link === 'response');
}

/** The result of `work`; undefined if it takes too long, or the run ends before. */
async function soon<T>(run: ProbeRun, work: Promise<T>): Promise<T | undefined> {
  const end = new AbortController();
  const signal = AbortSignal.any([run.signal, end.signal]);
  try {
    return await Promise.race([work, delay(patience, undefined, { signal }).catch(() => undefined)]);
  } finally {
    end.abort();
  }
}
