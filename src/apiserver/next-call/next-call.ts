import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  isAdmission,
  isServiceBacked,
} from '../../facts/callout.ts';
import { derive } from '../../facts/derive.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refusedByConditions } from '../admission/condition-shapes.ts';
import { isNeverDialed } from '../aggregation/availability.ts';
import { closedApi, unavailableResponse } from '../aggregation/closed-api.ts';
import { trustOf, trustsNothingAt } from '../certificate/anchors.ts';
import { goRules } from '../certificate/go-rules.ts';
import { isNetworkFault } from '../connection/meeting.ts';
import { endedEarly, observed, probesOf } from '../connection/observe.ts';
import { ownCallEnd } from '../connection/own-call.ts';
import { admissionFailure, callSentence } from '../sentences/call-sentence.ts';
import { type CallFacts, callFacts } from './call-facts.ts';
import {
  asObserved,
  couldNotBeRead,
  failing,
  type NextCall,
  rejectsAnonymous,
  succeeds,
  unknown,
} from './call-fate.ts';
import { throughService } from './through-service.ts';
import { withOwnCall } from './with-own-call.ts';

/** What stops an admission call before anything is dialled, in the API server's order (validating/dispatcher.go). */
function admissionNotMade(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'served' | 'version'>,
): NextCall | undefined {
  const refused = refusedByConditions(callout, facts);
  if (refused !== undefined) return failing('fails', 'registration', refused === '' ? [] : [refused], false);
  const { admissionReviewVersions: versions } = callout;
  if (versions.length > 0 && !versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    const stage = `could not create admission objects: ${why}`;
    return failing('fails', 'registration', [admissionFailure(callout, stage)]);
  }
  const bundle = trustOf(callout, facts.version);
  if (bundle?.kind !== 'refused') return undefined;
  return failing('fails', 'tls', [admissionFailure(callout, `could not get REST client: ${bundle.text}`)]);
}

const wasAvailable = ({ conditions }: AggregatedApiCallout): boolean =>
  conditions.some(({ type, status }) => type === 'Available' && status === 'True');

/**
 * A caBundle that loads no certificate stops every call. A CRD's requests then end in words that do not name the
 * webhook.
 */
function notMade(callout: Callout, facts: Pick<Facts, 'served' | 'version'>): NextCall | undefined {
  if (isAdmission(callout)) return admissionNotMade(callout, facts);
  const { version } = facts;
  const bundle = trustOf(callout, version);
  if (bundle?.kind !== 'refused') return undefined;
  switch (callout.kind) {
    case 'conversion':
      return failing('fails', 'tls', ['error resolving resource']);
    case 'aggregated-api': {
      const closed = isNeverDialed(callout, version) && !wasAvailable(callout);
      return failing('fails', 'tls', [closed ? unavailableResponse : bundle.text]);
    }
  }
}

/**
 * A URL as we reached it, from where we are. What the server says holds for the API server, too; that nothing answers us
 * may be our own network.
 */
function atUrl(callout: Callout, facts: CallFacts): NextCall {
  const probes = probesOf(callout, facts);
  const early = probes && endedEarly(probes.url === undefined ? [] : [probes.url], probes.notTried);
  if (early !== undefined) return { ...unknown, unread: early };
  if (probes?.url === undefined) return unknown;
  const meeting = observed(callout, facts)[0]?.meeting;
  if (meeting === undefined || meeting.outcome === 'undecided') return unknown;
  // Whether the API server's own roots take the certificate, nobody here sees.
  if (meeting.outcome !== 'fails')
    return trustOf(callout, facts.version)?.kind === 'system-roots' ? unknown : asObserved(succeeds);
  const { link, sentence, fault } = meeting;
  if (meeting.asksWho) return rejectsAnonymous;
  if (isNetworkFault(fault)) return unknown;
  return asObserved(failing('fails', link, sentence === undefined ? [] : [sentence], sentence !== undefined));
}

/**
 * Whoever is reached, the handshake fails. With nothing but system roots for a name in `.svc`, which no public authority
 * signs, the words are foreseen as long as nothing else is wrong with what is presented; with anchors that are all out
 * of date they depend on it, and so they do where a link before it could not be looked at.
 */
function distrusted(
  callout: Callout,
  { version, takenAt }: CallFacts,
  { unread }: NextCall,
): NextCall | undefined {
  const trust = trustOf(callout, version);
  const wordless = { ...failing('fails', 'tls', [], false), ...(unread && { unread }) };
  if (trust?.kind === 'system-roots' && isServiceBacked(callout)) {
    if (couldNotBeRead({ unread })) return wordless;
    const cause = `${goRules(version).prefix}x509: certificate signed by unknown authority`;
    return failing('fails', 'tls', [callSentence(callout, cause, version)], false);
  }
  return trustsNothingAt(trust, takenAt) ? wordless : undefined;
}

/**
 * While the API server holds an aggregated API for unavailable, nobody is called: its condition is what it saw, unless a
 * call of its own has been answered otherwise since.
 */
function whileClosed(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  if (callout.kind !== 'aggregated-api') return call;
  const closed = closedApi(callout);
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  const opened =
    end?.outcome === 'passes' || (end?.outcome === 'fails' && end.sentence !== unavailableResponse);
  if (closed === undefined || opened) return call;
  const link = call.fate === 'fails' && call.link !== undefined ? call.link : closed.link;
  return asObserved(failing('fails', link, [unavailableResponse]));
}

/** Several checks and the verdict ask the same. */
const foreseen = derive(
  [...callFacts, 'version', 'routing', 'takenAt'],
  (facts: CallFacts, callout: Callout): NextCall => {
    const stopped = notMade(callout, facts);
    if (stopped !== undefined)
      return stopped.link === 'registration'
        ? withOwnCall(callout, facts, stopped)
        : whileClosed(callout, facts, stopped);
    const call = isServiceBacked(callout) ? throughService(callout, facts) : atUrl(callout, facts);
    const end = call.fate === 'fails' ? call : (distrusted(callout, facts, call) ?? call);
    return withOwnCall(callout, facts, whileClosed(callout, facts, end));
  },
);

/**
 * What the API server's next call over a *new* connection comes to, as far as objects and probes tell: a kept connection
 * may go on to an old Pod while it lives. `connection refused` at a ClusterIP is what kube-proxy makes of a Service without
 * endpoints (a REJECT rule); other proxies have other words for the same failure.
 *
 * @param facts whose routing mode may be unknown: what differs between the modes is then `unknown`.
 */
export const nextCall = (callout: Callout, facts: CallFacts): NextCall => foreseen(facts, callout);
