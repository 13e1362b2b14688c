import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  isAdmission,
  isServiceBacked,
  type ServiceBacked,
} from '../facts/callout.ts';
import { keyOf } from '../facts/object-ref.ts';
import type { EndpointSlice } from '../facts/objects/endpoint-slice.ts';
import type { Service } from '../facts/objects/service.ts';
import type { CalloutProbes } from '../facts/probes.ts';
import type { Facts, RoutingMode } from '../facts/snapshot.ts';
import { NotKnown, type Unread } from '../facts/unread.ts';
import { neverAsked, unavailableBecause } from './availability.ts';
import { admissionFailure, callSentence } from './call-sentence.ts';
import { trustOf, trustsNothingAt } from './certificate/anchors.ts';
import { refusedByConditions } from './condition-shapes.ts';
import { meetUrl } from './connection/meet.ts';
import { type FaultLink, isOfTheWay, type Meeting } from './connection/meeting.ts';
import {
  endedEarly,
  endedEarlyAt,
  meetEndpoint,
  type ProbeFacts,
  probesOf,
  serverTime,
} from './connection/observe.ts';
import { ownCallEnd } from './connection/own-call.ts';
import { answerOf, type EndpointFacts } from './endpoint-answer.ts';
import type { BackendEndpoint } from './endpoints.ts';
import { hostPort } from './host-port.ts';
import { type Dials, type Route, routeTo } from './route.ts';

/** What {@link nextCall} looks at beside the callout, the routing mode and the version. */
export const callFacts = [
  'services',
  'endpointSlices',
  'pods',
  'endpointPods',
  'nodes',
  'probes',
  'clock',
] as const;

/** Without `probes` the objects alone decide. */
export type CallFacts = Pick<Facts, 'services' | 'endpointSlices' | 'routing'> & EndpointFacts & ProbeFacts;

/** The link of the chain at which the call ends; the same words as the checks' links. */
export type CallLink = 'registration' | 'backend' | FaultLink;

/** What the API server's next call over a new connection comes to, as far as objects and probes tell. */
export interface NextCall {
  /**
   * `succeeds`: nothing that was looked at speaks against it, which is no promise. `fails-for-some`: it depends on the
   * replica met. `unknown`: not read, or it depends on the routing mode, the network or a DNS that nothing shows.
   */
  readonly fate: 'succeeds' | 'fails' | 'fails-for-some' | 'unknown';
  /** The API server's own words, where they are certain; without `Internal error occurred: `. */
  readonly sentence?: string;
  /** Every sentence it may say: one per routing mode while the mode is not known, or per replica. */
  readonly sentences: readonly string[];
  readonly link?: CallLink;
  /** Probes saw it, at every replica that such a call can meet; else it is concluded from objects. */
  readonly observed?: true;
  /** What would have to be read to tell. */
  readonly unread?: Unread;
}

const succeeds: NextCall = { fate: 'succeeds', sentences: [] };
const seen = (call: NextCall): NextCall => ({ ...call, observed: true });
const unknown: NextCall = { fate: 'unknown', sentences: [] };
/** As unknown, but something speaks for a failure: a call that passes over a kept connection does not settle it. */
const doubtful: NextCall = { fate: 'unknown', sentences: [] };

/** @param complete false: it may also say something that is not among these sentences. */
function failing(
  fate: 'fails' | 'fails-for-some',
  link: CallLink,
  sentences: readonly string[],
  complete = true,
): NextCall {
  const distinct = [...new Set(sentences)];
  const [only, another] = distinct;
  const certain = complete && only !== undefined && another === undefined;
  return { fate, link, sentences: distinct, ...(certain ? { sentence: only } : {}) };
}

/** What stops an admission call before anything is dialled, in the API server's order (validating/dispatcher.go). */
function admissionNotMade(callout: AdmissionCallout, version?: string): NextCall | undefined {
  const refused = refusedByConditions(callout);
  if (refused !== undefined) return failing('fails', 'registration', refused === '' ? [] : [refused], false);
  const { admissionReviewVersions: versions } = callout;
  if (versions.length > 0 && !versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    const stage = `could not create admission objects: ${why}`;
    return failing('fails', 'registration', [admissionFailure(callout, stage)]);
  }
  const bundle = trustOf(callout, version);
  if (bundle?.kind !== 'refused') return undefined;
  return failing('fails', 'tls', [admissionFailure(callout, `could not get REST client: ${bundle.text}`)]);
}

const wasAvailable = ({ conditions }: AggregatedApiCallout): boolean =>
  conditions.some(({ type, status }) => type === 'Available' && status === 'True');

/**
 * A caBundle that loads no certificate stops every call. A CRD's requests then end in words that do not name the
 * webhook.
 */
function notMade(callout: Callout, version?: string): NextCall | undefined {
  if (isAdmission(callout)) return admissionNotMade(callout, version);
  const bundle = trustOf(callout, version);
  if (bundle?.kind !== 'refused') return undefined;
  if (callout.kind === 'conversion') return failing('fails', 'tls', ['error resolving resource']);
  const closed = neverAsked(callout, version) && !wasAvailable(callout);
  return failing('fails', 'tls', [closed ? 'service unavailable' : bundle.text]);
}

const refusal = (address: string): string => `dial tcp ${address}: connect: connection refused`;

/** What a call that meets one endpoint comes to, and whether a probe saw it. */
interface End {
  readonly outcome: 'answers' | 'fails' | 'not-known';
  readonly link: CallLink;
  readonly sentence?: string;
  readonly observed: boolean;
  /** Why it was not asked to the end. */
  readonly unread?: Unread;
}

const seenEnd = (meeting: Exclude<Meeting, { outcome: 'undecided' }>): End =>
  meeting.outcome === 'fails'
    ? { outcome: 'fails', link: meeting.link, observed: true, ...sentenceIn(meeting) }
    : { outcome: 'answers', link: 'replica', observed: true };

const sentenceIn = ({ sentence }: { readonly sentence?: string }): { readonly sentence?: string } =>
  sentence === undefined ? {} : { sentence };

/** What a probe saw of an endpoint decides; where it did not tell, the objects do. */
function endAt(
  callout: Callout,
  endpoint: BackendEndpoint,
  route: Dials,
  key: string,
  facts: CallFacts,
  version: string | undefined,
  at: string | undefined,
): End {
  const meeting: Meeting =
    at === undefined ? { outcome: 'undecided' } : meetEndpoint(callout, endpoint, route, facts, version, at);
  const unread = endedEarlyAt(callout, endpoint, facts);
  if (meeting.outcome === 'fails' || (meeting.outcome !== 'undecided' && unread === undefined))
    return seenEnd(meeting);
  const answer = answerOf(endpoint, key, facts);
  const derived = { link: 'replica', observed: false } as const;
  if (answer === 'answers' && unread !== undefined) return { outcome: 'not-known', ...derived, unread };
  if (answer === 'answers' || answer === 'not-known') return { outcome: answer, ...derived };
  if (answer === 'gone') return { outcome: 'fails', ...derived };
  const address = route.via === 'endpoint' ? hostPort(endpoint.address, endpoint.port) : route.address;
  return { outcome: 'fails', ...derived, sentence: callSentence(callout, refusal(address), version) };
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
function amongReplicas(
  callout: Callout,
  route: Dials,
  key: string,
  facts: CallFacts,
  version: string | undefined,
  at: string | undefined,
): NextCall {
  const ends = route.endpoints.map((endpoint) => endAt(callout, endpoint, route, key, facts, version, at));
  const dead = ends.filter(({ outcome }) => outcome === 'fails');
  const undecided = ends.some(({ outcome }) => outcome === 'not-known');
  // Without a probe that saw one of them fail, a doubt about another leaves all open.
  if (undecided && !dead.some((end) => end.observed)) {
    const unread = ends.find((end) => end.unread !== undefined)?.unread;
    return unread === undefined ? doubtful : { ...doubtful, unread };
  }
  // What leaves was seen, and will not be seen again.
  const stays = route.endpoints.some(({ terminating }) => !terminating);
  const mark = stays && ends.every((end) => end.observed) ? seen : (call: NextCall) => call;
  if (dead.length === 0) return mark(succeeds);
  const sentences = dead.flatMap(({ sentence }) => sentence ?? []);
  const fate = dead.length === ends.length ? 'fails' : 'fails-for-some';
  return mark(failing(fate, commonLink(dead), sentences, sentences.length === dead.length));
}

function dialled(
  callout: Callout,
  route: Dials,
  key: string,
  facts: CallFacts,
  version: string | undefined,
  at: string | undefined,
): NextCall {
  if (route.via === 'external-name' || route.via === 'loopback') return unknown;
  // No proxy rule for TCP at this address: what the network does with the packet is its own affair.
  if (route.unproxied === 'protocol') return failing('fails', 'routing', [], false);
  if (route.unproxied === 'label') return unknown;
  if (route.endpoints.length === 0) {
    return failing('fails', 'backend', [callSentence(callout, refusal(route.address), version)]);
  }
  return route.localOnly ? unknown : amongReplicas(callout, route, key, facts, version, at);
}

const linkOf = (route: Route): CallLink =>
  route.kind === 'refused' && route.reason !== 'no-endpoints' ? 'routing' : 'backend';

/** While it is not Available, an aggregated API answers every request with the same two words. */
function gated(
  callout: ServiceBacked,
  service: Service | undefined,
  slices: readonly EndpointSlice[],
  route: Route,
  call: NextCall,
  version?: string,
): NextCall {
  if (callout.kind !== 'aggregated-api') return call;
  const because = unavailableBecause(callout.client.service, service, slices, route, version);
  if (because === undefined && call.fate !== 'fails') return call;
  const link = call.link ?? (because?.reason === 'MissingEndpoints' ? 'backend' : linkOf(route));
  return failing('fails', link, ['service unavailable']);
}

function inMode(
  callout: ServiceBacked,
  facts: CallFacts,
  mode: RoutingMode,
  version: string | undefined,
  at: string | undefined,
): NextCall {
  const reference = callout.client.service;
  const key = keyOf(reference);
  const service = facts.services.get(key);
  const slices = service === undefined ? [] : (facts.endpointSlices.get(key) ?? []);
  const route = routeTo(reference, service, slices, mode, version);
  const call =
    route.kind === 'refused'
      ? failing('fails', linkOf(route), [callSentence(callout, route.text, version)])
      : dialled(callout, route, key, facts, version, at);
  return gated(callout, service, slices, route, call, version);
}

/** Only what both modes agree on is known. */
function inEitherMode(a: NextCall, b: NextCall): NextCall {
  const unread = a.unread ?? b.unread;
  const open = unread === undefined ? doubtful : { ...doubtful, unread };
  if (a.fate !== b.fate) return open;
  if (a.fate === 'unknown') return a === unknown && b === unknown ? unknown : open;
  const mark = a.observed && b.observed ? seen : (call: NextCall) => call;
  if (a.fate === 'succeeds') return mark(succeeds);
  const complete = a.sentence !== undefined && b.sentence !== undefined;
  return mark(failing(a.fate, a.link ?? 'routing', [...a.sentences, ...b.sentences], complete));
}

/**
 * A URL as we reached it, from where we are. What the server says holds for the API server, too; that nothing answers us
 * may be our own network.
 */
function atUrl(callout: Callout, facts: CallFacts, version?: string, at?: string): NextCall {
  const probes = probesOf(callout, facts);
  const early = probes && endedEarly(probes.url === undefined ? [] : [probes.url], probes.notTried);
  if (early !== undefined) return { ...unknown, unread: early };
  if (probes?.url === undefined || at === undefined) return unknown;
  const asked = { callout, at: serverTime(facts, at), serverName: probes.serverName };
  const meeting = meetUrl(probes.url, { ...asked, ...(version === undefined ? {} : { version }) });
  if (meeting.outcome === 'undecided') return unknown;
  if (meeting.outcome !== 'fails') return seen(succeeds);
  const { link, sentence, fault } = meeting;
  if (isOfTheWay(fault)) return unknown;
  return seen(failing('fails', link, sentence === undefined ? [] : [sentence], sentence !== undefined));
}

function routed(
  callout: Callout,
  facts: CallFacts,
  mode: RoutingMode | undefined,
  version?: string,
  at?: string,
): NextCall {
  if (!isServiceBacked(callout)) return atUrl(callout, facts, version, at);
  try {
    if (mode !== undefined) return inMode(callout, facts, mode, version, at);
    return inEitherMode(
      inMode(callout, facts, 'cluster-ip', version, at),
      inMode(callout, facts, 'endpoints', version, at),
    );
  } catch (error) {
    if (error instanceof NotKnown) return { ...unknown, unread: error.unread };
    throw error;
  }
}

/** Nobody saw how it ends, and the one that would have been asked was not, since the run was over. */
function orEndedEarly(call: NextCall, probes: CalloutProbes | undefined): NextCall {
  const unread = probes?.notTried.find(({ why }) => why === 'timeout');
  const open = call.fate === 'succeeds' || call.fate === 'unknown';
  return open && unread !== undefined && call.unread === undefined ? { ...doubtful, unread } : call;
}

/**
 * What the API server itself made of a call a moment ago. That it passes proves one connection, which may be an old one
 * to one replica: it decides only what nothing else does. That it fails is the very thing to be foreseen.
 */
function withOwnCall(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  if (end === undefined || end.outcome === 'nothing')
    return call.observed ? call : orEndedEarly(call, probes);
  if (end.outcome === 'passes') {
    const settles = call === unknown || call.unread?.why === 'timeout' || !isServiceBacked(callout);
    return settles ? seen(succeeds) : call;
  }
  if (end.link === 'registration') return seen(failing('fails', end.link, [end.sentence]));
  const broken = call.fate === 'fails' || call.fate === 'fails-for-some';
  const fate = broken ? call.fate : end.sporadic ? 'fails-for-some' : 'fails';
  const unseen = end.refused && call.observed !== true ? 'replica' : end.link;
  const link = (broken ? call.link : undefined) ?? unseen;
  const known = broken ? call.sentences : [];
  const sentences = end.late ? [...known, end.sentence] : [end.sentence, ...known];
  return seen(failing(fate, link, sentences, !broken || fate === 'fails'));
}

/**
 * Whoever is reached, the handshake fails. With nothing but system roots for a name in `.svc`, which no public authority
 * signs, the words are foreseen as long as nothing else is wrong with what is presented; with anchors that are all out
 * of date they depend on it.
 */
function distrusted(callout: Callout, version?: string, at?: string): NextCall | undefined {
  const trust = trustOf(callout, version);
  if (trust?.kind === 'system-roots' && isServiceBacked(callout)) {
    const cause = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    return failing('fails', 'tls', [callSentence(callout, cause, version)], false);
  }
  return at !== undefined && trustsNothingAt(trust, at) ? failing('fails', 'tls', [], false) : undefined;
}

/** The last answer for a callout, and what it rests on: several checks and the verdict ask the same. */
const foreseen = new WeakMap<Callout, { readonly given: readonly unknown[]; readonly call: NextCall }>();

/**
 * What the API server's next call over a *new* connection comes to, as far as objects and probes tell: a kept connection
 * may go on to an old Pod while it lives. `connection refused` at a ClusterIP is what kube-proxy makes of a Service without
 * endpoints (a REJECT rule); other proxies have other words for the same failure.
 *
 * @param mode undefined: nobody knows; what differs between the modes is then `unknown`.
 * @param version the API server's.
 * @param at RFC 3339, its clock; without it no certificate counts as out of date, and probes are not looked at.
 */
export function nextCall(
  callout: Callout,
  facts: CallFacts,
  mode: RoutingMode | undefined = facts.routing.mode,
  version?: string,
  at?: string,
): NextCall {
  const given = [...callFacts.map((name) => facts[name]), mode, version, at];
  const known = foreseen.get(callout);
  if (known !== undefined && given.every((value, index) => value === known.given[index])) return known.call;
  const call = foresee(callout, facts, mode, version, at);
  foreseen.set(callout, { given, call });
  return call;
}

function foresee(
  callout: Callout,
  facts: CallFacts,
  mode: RoutingMode | undefined,
  version?: string,
  at?: string,
): NextCall {
  const stopped = notMade(callout, version);
  if (stopped !== undefined)
    return stopped.link === 'registration' ? withOwnCall(callout, facts, stopped) : stopped;
  const call = routed(callout, facts, mode, version, at);
  return withOwnCall(
    callout,
    facts,
    call.fate === 'fails' ? call : (distrusted(callout, version, at) ?? call),
  );
}
