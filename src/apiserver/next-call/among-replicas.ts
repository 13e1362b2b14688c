import type { ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { Unread } from '../../facts/unread.ts';
import type { Meeting } from '../connection/meeting.ts';
import { endedEarlyAt, meetEndpoint } from '../connection/observe.ts';
import { endpointStateOf } from '../routing/endpoint-state.ts';
import type { BackendEndpoint } from '../routing/endpoints.ts';
import { hostPort } from '../routing/host-port.ts';
import type { DialTarget } from '../routing/route.ts';
import { callSentence } from '../sentences/call-sentence.ts';
import type { CallFacts } from './call-facts.ts';
import {
  asObserved,
  type CallLink,
  doubtful,
  failing,
  type NextCall,
  rejectsAnonymous,
  succeeds,
} from './call-fate.ts';

export const connectionRefused = (address: string): string =>
  `dial tcp ${address}: connect: connection refused`;

/** What a call that meets one endpoint comes to, and whether a probe saw it. */
interface End {
  readonly outcome: 'answers' | 'fails' | 'not-known';
  readonly link: CallLink;
  readonly sentence?: string;
  readonly observed: boolean;
  readonly asksWho?: true;
  /** Why it was not asked to the end. */
  readonly unread?: Unread;
}

const seenEnd = (meeting: Exclude<Meeting, { outcome: 'undecided' }>): End =>
  meeting.outcome === 'fails' && meeting.asksWho
    ? { outcome: 'not-known', link: meeting.link, observed: false, asksWho: true }
    : meeting.outcome === 'fails'
      ? { outcome: 'fails', link: meeting.link, observed: true, ...sentenceIn(meeting) }
      : { outcome: 'answers', link: 'replica', observed: meeting.unshaken !== true };

const sentenceIn = ({ sentence }: { readonly sentence?: string }): { readonly sentence?: string } =>
  sentence === undefined ? {} : { sentence };

/** What a probe saw of an endpoint decides; where it did not tell, the objects do. */
function endAt(callout: ServiceBacked, endpoint: BackendEndpoint, route: DialTarget, facts: CallFacts): End {
  const meeting = meetEndpoint(callout, endpoint, route, facts);
  const unread = endedEarlyAt(callout, endpoint, facts);
  if (meeting.outcome === 'fails' || (meeting.outcome !== 'undecided' && unread === undefined))
    return seenEnd(meeting);
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

/** The link at which most of them end; the first one of those that are as many. */
function commonLink(ends: readonly End[]): CallLink {
  const times = (link: CallLink): number => ends.filter((end) => end.link === link).length;
  return ends.reduce<CallLink>(
    (most, { link }) => (times(link) > times(most) ? link : most),
    ends[0]?.link ?? 'replica',
  );
}

/** One connection to one of several replicas, of which some may be dead. */
export function amongReplicas(callout: ServiceBacked, route: DialTarget, facts: CallFacts): NextCall {
  const ends = route.endpoints.map((endpoint) => endAt(callout, endpoint, route, facts));
  const dead = ends.filter(({ outcome }) => outcome === 'fails');
  const undecided = ends.some(({ outcome }) => outcome === 'not-known');
  // Without a probe that saw one of them fail, a doubt about another leaves all open.
  if (undecided && !dead.some((end) => end.observed)) {
    const unread = ends.find((end) => end.unread !== undefined)?.unread;
    if (unread !== undefined) return { ...doubtful, unread };
    return ends.every((end) => end.outcome !== 'not-known' || end.asksWho) ? rejectsAnonymous : doubtful;
  }
  // What leaves was seen, and will not be seen again.
  const stays = route.endpoints.some(({ terminating }) => !terminating);
  const mark = stays && ends.every((end) => end.observed) ? asObserved : (call: NextCall) => call;
  if (dead.length === 0) return mark(succeeds);
  const sentences = dead.flatMap(({ sentence }) => sentence ?? []);
  const fate = dead.length === ends.length ? 'fails' : 'fails-for-some';
  return mark(failing(fate, commonLink(dead), sentences, sentences.length === dead.length));
}
