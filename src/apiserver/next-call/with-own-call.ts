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
  doubtful,
  failing,
  type NextCall,
  rejectsAnonymous,
  succeeds,
  unknown,
} from './call-fate.ts';

/** Nobody saw how it ends: an address cannot be connected to, or was not, since the run was over. */
function orNotSeen(call: NextCall, callout: Callout, facts: CallFacts): NextCall {
  const probes = probesOf(callout, facts);
  const unread = probes && (probes.notTried.find(isEndedEarly) ?? unreachableAddresses(callout, facts));
  const open = call.fate === 'succeeds' || call.fate === 'unknown';
  return open && unread !== undefined && call.unread === undefined ? { ...doubtful, unread } : call;
}

/** Ends that another address may not have. */
const ofAddress: readonly string[] = ['network', 'tls', 'response', 'replica'];

/**
 * A call that fails at one of several addresses that nobody could ask by themselves: the others may answer, unless so
 * many new connections failed that one of them would have been met.
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
 * What the API server itself made of a call a moment ago. That it passes proves one connection, which may be an old one
 * to one replica: it decides only what nothing else does. That it fails is the very thing to be foreseen.
 */
export function withOwnCall(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  const untried = probes?.level === 'review' ? untriedAddresses(callout, facts) : undefined;
  const open = call.fate === 'succeeds' && !call.observed;
  if (untried !== undefined && probes !== undefined && end !== undefined && open) {
    // Of several addresses one call meets one.
    if (end.outcome === 'passes')
      return probes.dryRun?.again?.passed ? call : { ...doubtful, unread: untried.unread };
    if (end.outcome === 'fails' && ofAddress.includes(end.link)) return atSomeAddress(end, untried, probes);
  }
  if (end === undefined || end.outcome === 'nothing')
    return call.observed ? call : orNotSeen(call, callout, facts);
  if (end.outcome === 'passes') {
    const settles =
      call === unknown ||
      call === rejectsAnonymous ||
      (call.unread && isEndedEarly(call.unread)) ||
      !isServiceBacked(callout);
    return settles ? asObserved(succeeds) : call;
  }
  const broken = call.fate === 'fails' || call.fate === 'fails-for-some';
  if (end.outcome === 'unfinished') return broken ? call : { ...doubtful, unread: unfinished(end.sentence) };
  if (end.link === 'registration') {
    const dryRun = probes?.dryRun;
    const forAll = !isAdmission(callout) || !dryRun || deniesOthers(callout, dryRun, facts);
    if (forAll) return asObserved(failing('fails', end.link, [end.sentence]));
    if (call.fate === 'fails') return call;
    return asObserved(failing('fails-for-some', end.link, [end.sentence, ...call.sentences]));
  }
  const fate = broken ? call.fate : end.sporadic ? 'fails-for-some' : 'fails';
  const unseen = end.refused && call.observed !== true ? 'replica' : end.link;
  const link = (broken ? call.link : undefined) ?? unseen;
  const known = broken ? call.sentences : [];
  const sentences = end.late ? [...known, end.sentence] : [end.sentence, ...known];
  return asObserved(failing(fate, link, sentences, !broken || fate === 'fails'));
}
