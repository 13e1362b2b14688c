import { type Callout, isAdmission, isServiceBacked } from '../../facts/callout.ts';
import type { CalloutProbes } from '../../facts/probes.ts';
import { refusesTheRest } from '../condition-reach.ts';
import { probesOf } from '../connection/observe.ts';
import { ownCallEnd } from '../connection/own-call.ts';
import type { CallFacts } from './call-facts.ts';
import { doubtful, failing, type NextCall, seen, succeeds, unknown } from './call-fate.ts';

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
export function withOwnCall(callout: Callout, facts: CallFacts, call: NextCall): NextCall {
  const probes = probesOf(callout, facts);
  const end = probes && ownCallEnd(callout, probes);
  if (end === undefined || end.outcome === 'nothing')
    return call.observed ? call : orEndedEarly(call, probes);
  if (end.outcome === 'passes') {
    const settles = call === unknown || call.unread?.why === 'timeout' || !isServiceBacked(callout);
    return settles ? seen(succeeds) : call;
  }
  const broken = call.fate === 'fails' || call.fate === 'fails-for-some';
  if (end.link === 'registration') {
    const dryRun = probes?.dryRun;
    const forAll = !isAdmission(callout) || !dryRun || refusesTheRest(callout, dryRun, facts);
    if (forAll) return seen(failing('fails', end.link, [end.sentence]));
    if (call.fate === 'fails') return call;
    return seen(failing('fails-for-some', end.link, [end.sentence, ...call.sentences]));
  }
  const fate = broken ? call.fate : end.sporadic ? 'fails-for-some' : 'fails';
  const unseen = end.refused && call.observed !== true ? 'replica' : end.link;
  const link = (broken ? call.link : undefined) ?? unseen;
  const known = broken ? call.sentences : [];
  const sentences = end.late ? [...known, end.sentence] : [end.sentence, ...known];
  return seen(failing(fate, link, sentences, !broken || fate === 'fails'));
}
