import type { ServiceBacked } from '../../facts/callout.ts';
import { keyOf } from '../../facts/object-ref.ts';
import type { RoutingMode } from '../../facts/snapshot.ts';
import { NotKnown } from '../../facts/unread.ts';
import { unavailableBecause } from '../aggregation/availability.ts';
import { unavailableResponse } from '../aggregation/closed-api.ts';
import { type DialTarget, type ReferencedService, type Route, routeTo } from '../routing/route.ts';
import { callSentence } from '../sentences/call-sentence.ts';
import { amongReplicas, connectionRefused } from './among-replicas.ts';
import type { CallFacts } from './call-facts.ts';
import {
  asObserved,
  type CallLink,
  failing,
  type NextCall,
  succeeds,
  unknown,
  unknownWithSigns,
} from './call-outcome.ts';

function connectedTo(callout: ServiceBacked, route: DialTarget, facts: CallFacts): NextCall {
  if (route.via === 'external-name' || route.via === 'loopback') return unknown;
  // kube-proxy has no rule for TCP at this address: the error depends on the network.
  if (route.unproxied === 'protocol') return failing('fails', 'routing', []);
  if (route.unproxied === 'label') return unknown;
  if (route.endpoints.length === 0) {
    return failing('fails', 'backend', [
      callSentence(callout, connectionRefused(route.address), facts.version),
    ]);
  }
  return route.localOnly ? unknown : amongReplicas(callout, route, facts);
}

const linkOf = (route: Route): CallLink =>
  route.kind === 'refused' && route.reason !== 'no-endpoints' ? 'routing' : 'backend';

/** The failure of an APIService that is not Available: every request gets "service unavailable". */
function ifAvailable(call: NextCall, service: ReferencedService, route: Route, version?: string): NextCall {
  const because = unavailableBecause(service, route, version);
  if (because === undefined && call.outcome !== 'fails') return call;
  const link = call.link ?? (because?.reason === 'MissingEndpoints' ? 'backend' : linkOf(route));
  return failing('fails', link, [unavailableResponse]);
}

function inMode(callout: ServiceBacked, facts: CallFacts, mode: RoutingMode): NextCall {
  const { version } = facts;
  const reference = callout.client.service;
  const key = keyOf(reference);
  const service = facts.services.get(key);
  const slices = service === undefined ? [] : (facts.endpointSlices.get(key) ?? []);
  const referenced = { reference, service, slices };
  const route = routeTo(referenced, mode, version);
  const call =
    route.kind === 'refused'
      ? failing('fails', linkOf(route), [callSentence(callout, route.text, version)])
      : connectedTo(callout, route, facts);
  return callout.kind === 'aggregated-api' ? ifAvailable(call, referenced, route, version) : call;
}

/** The result if it is the same in both modes, else unknown. */
function inEitherMode(a: NextCall, b: NextCall): NextCall {
  // No mode fails: a call that succeeds settles it.
  if ([a, b].every((call) => call === unknown || call.outcome === 'succeeds') && a.outcome !== b.outcome)
    return unknown;
  const unread = a.unread ?? b.unread;
  const open = unread === undefined ? unknownWithSigns : { ...unknownWithSigns, unread };
  if (a.outcome !== b.outcome) return open;
  if (a.outcome === 'unknown') return a === b ? a : open;
  const mark = a.observed && b.observed ? asObserved : (call: NextCall) => call;
  if (a.outcome === 'succeeds') return mark(succeeds);
  const which = a.sentence === undefined || b.sentence === undefined ? 'some' : 'all';
  return mark(failing(a.outcome, a.link ?? 'routing', [...a.sentences, ...b.sentences], which));
}

/** Predicts a call to a Service. If the routing mode is not known, both modes must have the same result. */
export function throughService(callout: ServiceBacked, facts: CallFacts): NextCall {
  const { mode } = facts.routing;
  try {
    if (mode !== undefined) return inMode(callout, facts, mode);
    return inEitherMode(inMode(callout, facts, 'cluster-ip'), inMode(callout, facts, 'endpoints'));
  } catch (error) {
    if (error instanceof NotKnown) return { ...unknown, unread: error.unread };
    throw error;
  }
}
