import { defined } from '../../basics/collections.ts';
import type { ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Unread } from '../../facts/unread.ts';
import type { CallResult, FailedCallResult } from '../connection/call-result.ts';
import { callResultAtEndpoint, endedEarlyAt, serverTime } from '../connection/probed-servers.ts';
import { endpointStateOf } from '../routing/endpoint-state.ts';
import type { BackendEndpoint } from '../routing/endpoints.ts';
import { hostPort } from '../routing/host-port.ts';
import { remainingEndpoints } from '../routing/removed-endpoints.ts';
import type { DialTarget } from '../routing/route.ts';
import { callSentence } from '../sentences/call-sentence.ts';
import type { CallFacts } from './call-facts.ts';
import {
  asObserved,
  type CallLink,
  failing,
  type NextCall,
  rejectsAnonymous,
  succeeds,
  unknownWithSigns,
} from './call-outcome.ts';

/**
 * Go's error for a refused connection.
 *
 * @param address `ip:port`, `[ip]:port` or `name:port`.
 */
export const connectionRefused = (address: string): string =>
  `dial tcp ${address}: connect: connection refused`;

interface EndpointResult {
  readonly outcome: 'answers' | 'fails' | 'not-known';
  readonly link: CallLink;
  readonly sentence?: string;
  readonly observed: boolean;
  readonly asksWho?: true;
  readonly partly?: FailedCallResult['partly'];
  /** Why its probe did not end. */
  readonly unread?: Unread;
}

function observedResult(callResult: Exclude<CallResult, { outcome: 'undecided' }>): EndpointResult {
  if (callResult.outcome !== 'fails')
    return { outcome: 'answers', link: 'replica', observed: callResult.withoutHandshake !== true };
  const { link, needsCredentials } = callResult;
  return needsCredentials
    ? { outcome: 'not-known', link, observed: false, asksWho: true }
    : { outcome: 'fails', link, observed: true, ...detailsIn(callResult) };
}

const detailsIn = ({ sentence, partly }: Pick<FailedCallResult, 'sentence' | 'partly'>) =>
  defined({ sentence, partly });

/** The result from a probe of the endpoint, or, if that does not decide, from objects. */
function resultAt(
  callout: ServiceBacked,
  endpoint: BackendEndpoint,
  route: DialTarget,
  facts: CallFacts,
): EndpointResult {
  const callResult = callResultAtEndpoint(callout, endpoint, route, facts);
  const unread = endedEarlyAt(callout, endpoint, facts);
  if (callResult.outcome === 'fails' || (callResult.outcome !== 'undecided' && unread === undefined))
    return observedResult(callResult);
  const answer = endpointStateOf(endpoint, keyOf(callout.client.service), facts);
  const derived = { link: 'replica', observed: false } as const;
  if (answer === 'answers' && unread !== undefined) return { outcome: 'not-known', ...derived, unread };
  if (answer === 'answers' || answer === 'not-known') return { outcome: answer, ...derived };
  if (answer === 'gone') return { outcome: 'fails', ...derived };
  const address = route.via === 'endpoint' ? hostPort(endpoint.address, endpoint.port) : route.address;
  return {
    outcome: 'fails',
    ...derived,
    sentence: callSentence(callout, connectionRefused(address), facts.version),
  };
}

/** The most frequent link; the first one if several are equally frequent. */
function commonLink(ends: readonly EndpointResult[]): CallLink {
  const times = (link: CallLink): number => ends.filter((end) => end.link === link).length;
  return ends.reduce<CallLink>(
    (most, { link }) => (times(link) > times(most) ? link : most),
    ends[0]?.link ?? 'replica',
  );
}

/** Predicts a call to one of several replicas, some of which may fail. */
export function amongReplicas(callout: ServiceBacked, route: DialTarget, facts: CallFacts): NextCall {
  const endpoints = remainingEndpoints(route.endpoints, callout, facts, serverTime(facts));
  // The Pods that replace all of them are Ready, and not in the EndpointSlices that were read.
  if (endpoints.length === 0) return succeeds;
  const ends = endpoints.map((endpoint) => resultAt(callout, endpoint, route, facts));
  const dead = ends.filter(({ outcome }) => outcome === 'fails');
  const undecided = ends.some(({ outcome }) => outcome === 'not-known');
  // If no probe confirmed a failure, one unknown replica makes the result unknown.
  if (undecided && !dead.some((end) => end.observed)) {
    const unread = ends.find((end) => end.unread !== undefined)?.unread;
    if (unread !== undefined) return { ...unknownWithSigns, unread };
    return ends.every((end) => end.outcome !== 'not-known' || end.asksWho)
      ? rejectsAnonymous
      : unknownWithSigns;
  }
  // Probe results of terminating Pods are not valid for the next call.
  const hasNonTerminating = endpoints.some(({ terminating }) => !terminating);
  const mark = hasNonTerminating && ends.every((end) => end.observed) ? asObserved : (call: NextCall) => call;
  if (dead.length === 0) return mark(succeeds);
  const sentences = dead.flatMap(({ sentence }) => sentence ?? []);
  const fails = dead.length === ends.length && !dead.every(({ partly }) => partly !== undefined);
  const outcome = fails ? 'fails' : 'fails-for-some';
  const which = sentences.length === dead.length ? 'all' : 'some';
  return mark(failing(outcome, commonLink(dead), sentences, which));
}
