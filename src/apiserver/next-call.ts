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
import type { Facts, RoutingMode } from '../facts/snapshot.ts';
import { NotKnown, type Unread } from '../facts/unread.ts';
import { neverAsked, unavailableBecause } from './availability.ts';
import { admissionFailure, callSentence } from './call-sentence.ts';
import { trustOf, trustsNothingAt } from './certificate/anchors.ts';
import { answerOf, type EndpointFacts } from './endpoint-answer.ts';
import { hostPort } from './host-port.ts';
import { type Dials, type Route, routeTo } from './route.ts';

export type CallFacts = Pick<Facts, 'services' | 'endpointSlices' | 'routing'> & EndpointFacts;

/** The link of the chain at which the call ends; the same words as the checks' links. */
export type CallLink = 'registration' | 'routing' | 'backend' | 'replica' | 'tls';

/** What the API server's next call over a new connection comes to, as far as objects tell. */
export interface NextCall {
  /**
   * `succeeds`: no object speaks against it, which is no promise. `fails-for-some`: it depends on the replica met.
   * `unknown`: not read, or it depends on the routing mode, the network or a DNS that objects do not show.
   */
  readonly fate: 'succeeds' | 'fails' | 'fails-for-some' | 'unknown';
  /** The API server's own words, where they are certain; without `Internal error occurred: `. */
  readonly sentence?: string;
  /** Every sentence it may say: one per routing mode while the mode is not known, or per replica. */
  readonly sentences: readonly string[];
  readonly link?: CallLink;
  /** What would have to be read to tell. */
  readonly unread?: Unread;
}

const succeeds: NextCall = { fate: 'succeeds', sentences: [] };
const unknown: NextCall = { fate: 'unknown', sentences: [] };

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

/** One connection to one of several replicas, of which some may be dead. */
function amongReplicas(
  callout: Callout,
  route: Dials,
  key: string,
  facts: CallFacts,
  version?: string,
): NextCall {
  const met = route.endpoints.map((endpoint) => ({ endpoint, answer: answerOf(endpoint, key, facts) }));
  if (met.some(({ answer }) => answer === 'not-known')) return unknown;
  const dead = met.filter(({ answer }) => answer !== 'answers');
  if (dead.length === 0) return succeeds;
  const refusing = dead.filter(({ answer }) => answer === 'refuses');
  const sentences = refusing.map(({ endpoint }) => {
    const address = route.via === 'endpoint' ? hostPort(endpoint.address, endpoint.port) : route.address;
    return callSentence(callout, refusal(address), version);
  });
  const fate = dead.length === met.length ? 'fails' : 'fails-for-some';
  return failing(fate, 'replica', sentences, refusing.length === dead.length);
}

function dialled(callout: Callout, route: Dials, key: string, facts: CallFacts, version?: string): NextCall {
  if (route.via === 'external-name' || route.via === 'loopback') return unknown;
  // No proxy rule for TCP at this address: what the network does with the packet is its own affair.
  if (route.unproxied === 'protocol') return failing('fails', 'routing', [], false);
  if (route.unproxied === 'label') return unknown;
  if (route.endpoints.length === 0) {
    return failing('fails', 'backend', [callSentence(callout, refusal(route.address), version)]);
  }
  return route.localOnly ? unknown : amongReplicas(callout, route, key, facts, version);
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

function inMode(callout: ServiceBacked, facts: CallFacts, mode: RoutingMode, version?: string): NextCall {
  const reference = callout.client.service;
  const key = keyOf(reference);
  const service = facts.services.get(key);
  const slices = service === undefined ? [] : (facts.endpointSlices.get(key) ?? []);
  const route = routeTo(reference, service, slices, mode, version);
  const call =
    route.kind === 'refused'
      ? failing('fails', linkOf(route), [callSentence(callout, route.text, version)])
      : dialled(callout, route, key, facts, version);
  return gated(callout, service, slices, route, call, version);
}

/** Only what both modes agree on is known. */
function inEitherMode(a: NextCall, b: NextCall): NextCall {
  if (a.fate !== b.fate || a.fate === 'unknown') return unknown;
  if (a.fate === 'succeeds') return a;
  const complete = a.sentence !== undefined && b.sentence !== undefined;
  return failing(a.fate, a.link ?? 'routing', [...a.sentences, ...b.sentences], complete);
}

function routed(
  callout: Callout,
  facts: CallFacts,
  mode: RoutingMode | undefined,
  version?: string,
): NextCall {
  if (!isServiceBacked(callout)) return unknown;
  try {
    if (mode !== undefined) return inMode(callout, facts, mode, version);
    return inEitherMode(
      inMode(callout, facts, 'cluster-ip', version),
      inMode(callout, facts, 'endpoints', version),
    );
  } catch (error) {
    if (error instanceof NotKnown) return { ...unknown, unread: error.unread };
    throw error;
  }
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

/**
 * What the API server's next call over a *new* connection comes to, as far as objects tell: a kept connection may go on
 * to an old Pod while it lives. `connection refused` at a ClusterIP is what kube-proxy makes of a Service without
 * endpoints (a REJECT rule); other proxies have other words for the same failure.
 *
 * @param mode undefined: nobody knows; what differs between the modes is then `unknown`.
 * @param version the API server's.
 * @param at RFC 3339, its clock; without it no certificate counts as out of date.
 */
export function nextCall(
  callout: Callout,
  facts: CallFacts,
  mode: RoutingMode | undefined = facts.routing.mode,
  version?: string,
  at?: string,
): NextCall {
  const stopped = notMade(callout, version);
  if (stopped !== undefined) return stopped;
  const call = routed(callout, facts, mode, version);
  return call.fate === 'fails' ? call : (distrusted(callout, version, at) ?? call);
}
