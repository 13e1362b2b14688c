import { derive } from '../../basics/derive.ts';
import {
  type AdmissionCallout,
  type AggregatedApiCallout,
  type Callout,
  isAdmission,
  isServiceBacked,
} from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import { refusedByConditions } from '../admission/condition-shapes.ts';
import { isNeverDialed } from '../aggregation/availability.ts';
import { closedApi, unavailableResponse } from '../aggregation/closed-api.ts';
import { hasNoValidAnchorAt, trustOf } from '../certificate/anchors.ts';
import { goRules } from '../certificate/go-rules.ts';
import { isNetworkFault } from '../connection/call-result.ts';
import { ownCallEnd } from '../connection/own-call.ts';
import { endedEarly, probedServers, probesOf } from '../connection/probed-servers.ts';
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
} from './call-outcome.ts';
import { throughService } from './through-service.ts';
import { withOwnCall } from './with-own-call.ts';

/** Failures of an admission call before it connects, in the API server's order (validating/dispatcher.go) */
function admissionFailureBeforeConnect(
  callout: AdmissionCallout,
  facts: Pick<Facts, 'served' | 'version'>,
): NextCall | undefined {
  const refused = refusedByConditions(callout, facts);
  if (refused !== undefined) return failing('fails', 'registration', refused === '' ? [] : [refused], 'some');
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
 * The failure of a call before it connects. A caBundle without a certificate fails every call; for a CRD the
 * error does not name the webhook.
 */
function failureBeforeConnect(
  callout: Callout,
  facts: Pick<Facts, 'served' | 'version'>,
): NextCall | undefined {
  if (isAdmission(callout)) return admissionFailureBeforeConnect(callout, facts);
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
 * The result of a call to a URL, from a connection of this computer. A response of the server is also valid
 * for the API server; a network failure can be specific to this computer's network.
 */
function atUrl(callout: Callout, facts: CallFacts): NextCall {
  const probes = probesOf(callout, facts);
  const early = probes && endedEarly(probes.url === undefined ? [] : [probes.url], probes.notTried);
  if (early !== undefined) return { ...unknown, unread: early };
  if (probes?.url === undefined) return unknown;
  const callResult = probedServers(callout, facts)[0]?.callResult;
  if (callResult === undefined || callResult.outcome === 'undecided') return unknown;
  // It is unknown whether the system roots of the API server trust the certificate.
  if (callResult.outcome !== 'fails')
    return trustOf(callout, facts.version)?.kind === 'system-roots' ? unknown : asObserved(succeeds);
  const { link, sentence, fault } = callResult;
  if (callResult.needsCredentials) return rejectsAnonymous;
  if (isNetworkFault(fault)) return unknown;
  const outcome = callResult.partly === undefined ? 'fails' : 'fails-for-some';
  return asObserved(failing(outcome, link, sentence === undefined ? [] : [sentence]));
}

/**
 * The failure of the handshake with any server. With system roots only, and a name in `.svc` that no public
 * CA signs, the error is predictable; if all CAs have expired, or an earlier link could not be read, it is
 * not.
 */
function withoutTrust(
  callout: Callout,
  { version, takenAt }: CallFacts,
  { unread }: NextCall,
): NextCall | undefined {
  const trust = trustOf(callout, version);
  const unpredictable = { ...failing('fails', 'tls', []), ...(unread && { unread }) };
  if (trust?.kind === 'system-roots' && isServiceBacked(callout)) {
    if (couldNotBeRead({ unread })) return unpredictable;
    const cause = `${goRules(version).prefix}x509: certificate signed by unknown authority`;
    return failing('fails', 'tls', [callSentence(callout, cause, version)], 'some');
  }
  return hasNoValidAnchorAt(trust, takenAt) ? unpredictable : undefined;
}

/**
 * The failure of an APIService that is not Available: the API server does not call it. Its condition counts,
 * unless the API server's own call in this run had another result.
 */
function whileUnavailable(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  if (callout.kind !== 'aggregated-api') return call;
  const closed = closedApi(callout);
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  const opened =
    end?.outcome === 'passes' || (end?.outcome === 'fails' && end.sentence !== unavailableResponse);
  if (closed === undefined || opened) return call;
  const link = call.outcome === 'fails' && call.link !== undefined ? call.link : closed.link;
  return asObserved(failing('fails', link, [unavailableResponse]));
}

/** Caches the prediction: the verdict and several checks need it. */
const predicted = derive(
  [...callFacts, 'version', 'routing', 'takenAt'],
  (facts: CallFacts, callout: Callout): NextCall => {
    const stopped = failureBeforeConnect(callout, facts);
    if (stopped !== undefined)
      return stopped.link === 'registration'
        ? withOwnCall(callout, facts, stopped)
        : whileUnavailable(callout, facts, stopped);
    const call = isServiceBacked(callout) ? throughService(callout, facts) : atUrl(callout, facts);
    const end = call.outcome === 'fails' ? call : (withoutTrust(callout, facts, call) ?? call);
    return withOwnCall(callout, facts, whileUnavailable(callout, facts, end));
  },
);

/**
 * Predicts the API server's next call over a *new* connection: a keep-alive connection can still reach an old
 * Pod. `connection refused` at a ClusterIP is the result of kube-proxy for a Service without endpoints (a
 * REJECT rule); other proxies have other errors for it.
 *
 * @param facts if the routing mode is not known, a result that differs between the modes is `unknown`.
 */
export const nextCall = (callout: Callout, facts: CallFacts): NextCall => predicted(facts, callout);
