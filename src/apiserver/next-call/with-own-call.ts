import { type Callout, failsOpen, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import type { Unread } from '../../facts/unread.ts';
import { deniesOthers } from '../admission/condition-reach.ts';
import { type OwnCallEnd, ownCallEnd } from '../connection/own-call.ts';
import { isEndedEarly, probesOf } from '../connection/probed-servers.ts';
import { unreachableAddresses, untriedAddresses } from '../routing/untried-addresses.ts';
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

type OwnFailure = Extract<OwnCallEnd, { outcome: 'fails' }>;

/**
 * The dry run for a URL of a validating webhook that another webhook or policy ended: nothing else shows whether it
 * responds. If it may fail open, a dry run that passes would not show that either.
 */
const endedByAnother = (callout: Callout, { beyondReplicas, url }: CalloutProbes): Unread | undefined =>
  callout.kind !== 'validating' || isServiceBacked(callout) || failsOpen(callout) || url !== undefined
    ? undefined
    : beyondReplicas?.find(({ why }) => why === 'server-error');

/** Unknown if an address could not be connected to, or the run ended before. */
function unknownIfUntried(call: NextCall, callout: Callout, facts: CallFacts): NextCall {
  const probes = probesOf(callout, facts);
  const unread =
    probes &&
    (probes.notTried.find(isEndedEarly) ??
      unreachableAddresses(callout, facts) ??
      endedByAnother(callout, probes));
  const open = call.outcome === 'succeeds' || call.outcome === 'unknown';
  return open && unread !== undefined && call.unread === undefined ? { ...unknownWithSigns, unread } : call;
}

const linksOfAddress: readonly string[] = ['network', 'tls', 'response', 'replica'];

/** The result if the own call failed at one of several addresses that could not be probed one by one. */
function atSomeAddress({ refused, link, sentence, inferred }: OwnFailure): NextCall {
  const call = failing('fails-for-some', refused ? 'replica' : link, [sentence]);
  return inferred ? call : asObserved(call);
}

const unfinished = (sentence: string): Unread => ({
  what: 'a server-side dry run',
  why: 'timeout',
  detail: `it ended before all webhooks had responded: ${sentence}`,
});

/** The result if the own call was refused because of its registration: perhaps only for some requests. */
function notRegistered(
  callout: Callout,
  facts: CallFacts,
  call: NextCall,
  { link, sentence }: OwnFailure,
): NextCall {
  const dryRun = probesOf(callout, facts)?.dryRun;
  const forAll = !isAdmission(callout) || !dryRun || deniesOthers(callout, dryRun, facts);
  if (forAll) return asObserved(failing('fails', link, [sentence]));
  if (call.outcome === 'fails') return call;
  return asObserved(failing('fails-for-some', link, [sentence, ...call.sentences]));
}

const isBroken = (call: NextCall): call is NextCall & { readonly outcome: 'fails' | 'fails-for-some' } =>
  call.outcome === 'fails' || call.outcome === 'fails-for-some';

/** The failure of the own call. A predicted failure decides its outcome and link, and adds its sentences. */
function failingAs(call: NextCall, end: OwnFailure): NextCall {
  const { link, sentence, refused, isTimeout, mayPassOnRetry, inferred } = end;
  const asKnown = inferred && !call.observed ? (predicted: NextCall) => predicted : asObserved;
  const ownLink = refused && call.observed !== true ? 'replica' : link;
  if (!isBroken(call))
    return asKnown(failing(mayPassOnRetry ? 'fails-for-some' : 'fails', ownLink, [sentence]));
  const known = call.sentences;
  const sentences = isTimeout ? [...known, sentence] : [sentence, ...known];
  const which = call.outcome === 'fails' ? 'all' : 'some';
  return asKnown(failing(call.outcome, call.link ?? ownLink, sentences, which));
}

/** True if a successful call decides: nothing else is known, or nothing else can fail. */
const isSettledBySuccess = (callout: Callout, call: NextCall): boolean =>
  call === unknown ||
  call === rejectsAnonymous ||
  (call.unread !== undefined && isEndedEarly(call.unread)) ||
  !isServiceBacked(callout);

/**
 * Adds the result of the API server's own call in this run. Success shows one connection only, perhaps a
 * keep-alive one: it counts if nothing else decides. Failure is the result to predict.
 */
export function withOwnCall(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  if (probes === undefined || end === undefined || end.outcome === 'nothing')
    return call.observed ? call : unknownIfUntried(call, callout, facts);
  const isOpen = call.outcome === 'succeeds' && !call.observed;
  // One call reaches one of several addresses.
  const untried = isOpen && probes.level === 'review' ? untriedAddresses(callout, facts) : undefined;
  switch (end.outcome) {
    case 'passes':
      if (untried !== undefined) return { ...unknownWithSigns, unread: untried };
      return isSettledBySuccess(callout, call) ? asObserved(succeeds) : call;
    case 'unfinished':
      return isBroken(call) ? call : { ...unknownWithSigns, unread: unfinished(end.sentence) };
    case 'fails':
      if (untried !== undefined && linksOfAddress.includes(end.link)) return atSomeAddress(end);
      return end.link === 'registration' ? notRegistered(callout, facts, call, end) : failingAs(call, end);
  }
}
