import { type Callout, isServiceBacked } from '../../facts/callout.ts';
import { derive } from '../../facts/derive.ts';
import { closedAnswer, closedApi } from '../aggregation/closed-api.ts';
import { trustOf, trustsNothingAt } from '../certificate/anchors.ts';
import { goRules } from '../certificate/go-rules.ts';
import { probesOf } from '../connection/observe.ts';
import { ownCallEnd } from '../connection/own-call.ts';
import { callSentence } from '../sentences/call-sentence.ts';
import { atUrl } from './at-url.ts';
import { notMade } from './before-dialling.ts';
import { type CallFacts, callFacts } from './call-facts.ts';
import { failing, type NextCall, seen } from './call-fate.ts';
import { throughService } from './through-service.ts';
import { withOwnCall } from './with-own-call.ts';

/**
 * Whoever is reached, the handshake fails. With nothing but system roots for a name in `.svc`, which no public authority
 * signs, the words are foreseen as long as nothing else is wrong with what is presented; with anchors that are all out
 * of date they depend on it.
 */
function distrusted(callout: Callout, { version, takenAt }: CallFacts): NextCall | undefined {
  const trust = trustOf(callout, version);
  if (trust?.kind === 'system-roots' && isServiceBacked(callout)) {
    const cause = `${goRules(version).prefix}x509: certificate signed by unknown authority`;
    return failing('fails', 'tls', [callSentence(callout, cause, version)], false);
  }
  return trustsNothingAt(trust, takenAt) ? failing('fails', 'tls', [], false) : undefined;
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
  const opened = end?.outcome === 'passes' || (end?.outcome === 'fails' && end.sentence !== closedAnswer);
  if (closed === undefined || opened) return call;
  const link = call.fate === 'fails' && call.link !== undefined ? call.link : closed.link;
  return seen(failing('fails', link, [closedAnswer]));
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
    const trusted = call.fate === 'fails' ? call : (distrusted(callout, facts) ?? call);
    return withOwnCall(callout, facts, whileClosed(callout, facts, trusted));
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
