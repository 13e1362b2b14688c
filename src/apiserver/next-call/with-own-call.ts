import { type Callout, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import type { Unread } from '../../facts/unread.ts';
import { deniesOthers } from '../admission/condition-reach.ts';
import { isEndedEarly, probesOf } from '../connection/observe.ts';
import { callErrorText, type OwnCallEnd, ownCallEnd } from '../connection/own-call.ts';
import {
  failsAtAll,
  type UntriedAddresses,
  unreachableAddresses,
  untriedAddresses,
} from '../routing/untried-addresses.ts';
import type { CallFacts } from './call-facts.ts';
import {
  asObserved,
  failing,
  type NextCall,
  rejectsAnonymous,
  succeeds,
  unknown,
  unknownWithSigns,
} from './call-outcome.ts';

/** Unknown if an address could not be connected to, or the run ended before. */
function unknownIfUntried(call: NextCall, callout: Callout, facts: CallFacts): NextCall {
  const probes = probesOf(callout, facts);
  const unread = probes && (probes.notTried.find(isEndedEarly) ?? unreachableAddresses(callout, facts));
  const open = call.outcome === 'succeeds' || call.outcome === 'unknown';
  return open && unread !== undefined && call.unread === undefined ? { ...unknownWithSigns, unread } : call;
}

const linksOfAddress: readonly string[] = ['network', 'tls', 'response', 'replica'];

/**
 * The result if the own call failed at one of several addresses that could not be probed one by one: the
 * others may respond, unless so many new connections failed that all were tried.
 */
function atSomeAddress(
  end: Extract<OwnCallEnd, { outcome: 'fails' }>,
  untried: UntriedAddresses,
  probes: CalloutProbes,
): NextCall {
  const { messages = [] } = probes.dryRun?.again ?? {};
  const all = failsAtAll(untried, probes);
  const sentences = [end.sentence, ...messages.map(callErrorText)];
  return asObserved(
    failing(all ? 'fails' : 'fails-for-some', end.refused ? 'replica' : end.link, sentences, all),
  );
}

const unfinished = (sentence: string): Unread => ({
  what: 'a server-side dry run',
  why: 'timeout',
  detail: `it ended before all webhooks had responded: ${sentence}`,
});

/**
 * Adds the result of the API server's own call in this run. Success shows one connection only, perhaps a
 * keep-alive one: it counts if nothing else decides. Failure is the result to predict.
 */
export function withOwnCall(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  const untried = probes?.level === 'review' ? untriedAddresses(callout, facts) : undefined;
  const open = call.outcome === 'succeeds' && !call.observed;
  if (untried !== undefined && probes !== undefined && end !== undefined && open) {
    // One call reaches one of several addresses.
    if (end.outcome === 'passes')
      return probes.dryRun?.again?.passed ? call : { ...unknownWithSigns, unread: untried.unread };
    if (end.outcome === 'fails' && linksOfAddress.includes(end.link))
      return atSomeAddress(end, untried, probes);
  }
  if (end === undefined || end.outcome === 'nothing')
    return call.observed ? call : unknownIfUntried(call, callout, facts);
  if (end.outcome === 'passes') {
    const settles =
      call === unknown ||
      call === rejectsAnonymous ||
      (call.unread && isEndedEarly(call.unread)) ||
      !isServiceBacked(callout);
    return settles ? asObserved(succeeds) : call;
  }
  const broken = call.outcome === 'fails' || call.outcome === 'fails-for-some';
  if (end.outcome === 'unfinished')
    return broken ? call : { ...unknownWithSigns, unread: unfinished(end.sentence) };
  if (end.link === 'registration') {
    const dryRun = probes?.dryRun;
    const forAll = !isAdmission(callout) || !dryRun || deniesOthers(callout, dryRun, facts);
    if (forAll) return asObserved(failing('fails', end.link, [end.sentence]));
    if (call.outcome === 'fails') return call;
    return asObserved(failing('fails-for-some', end.link, [end.sentence, ...call.sentences]));
  }
  const outcome = broken ? call.outcome : end.mayPassOnRetry ? 'fails-for-some' : 'fails';
  const ownLink = end.refused && call.observed !== true ? 'replica' : end.link;
  const link = (broken ? call.link : undefined) ?? ownLink;
  const known = broken ? call.sentences : [];
  const sentences = end.isTimeout ? [...known, end.sentence] : [end.sentence, ...known];
  const predicted = failing(outcome, link, sentences, !broken || outcome === 'fails');
  return end.inferred && !call.observed ? predicted : asObserved(predicted);
}
