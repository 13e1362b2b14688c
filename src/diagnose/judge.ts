import { isNeverMatched } from '../apiserver/admission/condition-shapes.ts';
import { probesOf } from '../apiserver/connection/observe.ts';
import { couldNotBeRead, type NextCall } from '../apiserver/next-call/call-fate.ts';
import { callSentence } from '../apiserver/sentences/call-sentence.ts';
import type { ChainLink, Finding } from '../checks/check.ts';
import { type Callout, failsOpen, isAdmission } from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Explained } from './cause.ts';
import { type CalloutState, calloutStates, type Effect, type Verdict } from './report.ts';

/** Links that a connection passes, so that probes see what is made of them. */
const passed: readonly ChainLink[] = ['routing', 'backend', 'replica', 'tls', 'response', 'network'];

/** Derived about a link that probes have gone through: what they saw decides. */
const isOutdone = ({ confidence, link }: Finding, { observed }: NextCall): boolean =>
  observed === true && confidence === 'derived' && passed.includes(link);

/**
 * A break that objects speak of, while every call that could meet it was seen to succeed, is no break of calls. It stays
 * a warning, since something is not as it should be.
 */
export function isSupersededByProbe(finding: Finding, next: NextCall): Finding {
  if (next.fate !== 'succeeds' || finding.consequence === undefined || !isOutdone(finding, next))
    return finding;
  const { consequence: _, ...rest } = finding;
  return { ...rest, severity: finding.severity === 'error' ? 'warning' : finding.severity };
}

/**
 * The model's answer as a state. A fate that no object shows (a DNS name, a URL, a replica nobody looked at) was not
 * asked for: only what was asked for and could not be read makes a callout unknown.
 */
function stateOf(next: NextCall): CalloutState {
  if (next.fate === 'fails') return 'failing';
  if (next.fate === 'fails-for-some') return 'degraded';
  return couldNotBeRead(next) ? 'unknown' : 'healthy';
}

function effectOf(
  callout: Callout,
  state: CalloutState,
  explained: readonly Explained[],
  facts: Pick<Facts, 'served'>,
): Effect {
  if (state !== 'failing' && state !== 'degraded') return 'none';
  const implied = explained.map(({ finding }) => finding.implies);
  if (implied.includes('never-called')) return 'none';
  if (isAdmission(callout) && isNeverMatched(callout, facts)) return 'none';
  return failsOpen(callout) && !implied.includes('refused-anyway') ? 'fails-open' : 'blocks';
}

/**
 * The API server's sentence as the first finding that knows its words foresees it. Nothing is foreseen where an earlier
 * link could not be looked at: the call may end there.
 */
function foreseenBy(callout: Callout, next: NextCall, reasons: readonly Explained[]): string | undefined {
  if (couldNotBeRead(next)) return undefined;
  const words = reasons.map(({ finding }) => finding.words).find((text) => text !== undefined);
  return words === undefined ? undefined : callSentence(callout, words);
}

/** Whether the API server said so in this run, or in an Event, a condition or a log that a finding quotes. */
function wasSaid(
  error: string,
  callout: Callout,
  explained: readonly Explained[],
  facts: Pick<Facts, 'probes'>,
): boolean {
  const { dryRun, invalid, discovery, notTried = [] } = probesOf(callout, facts) ?? {};
  return [
    dryRun?.message,
    ...(dryRun?.again?.messages ?? []),
    invalid?.message,
    discovery?.message,
    ...notTried.map(({ detail }) => detail),
    ...explained.flatMap(({ finding }) => finding.evidence.map(({ value }) => value)),
  ].some((text) => text?.includes(error));
}

/**
 * Would the next call over a new connection succeed? The model's answer and the findings' are joined, the worse one
 * counts; the findings say why. Where probes saw how every such call ends, what is only derived about the same links
 * explains it and does not worsen it.
 */
export function verdictOf(
  callout: Callout,
  explained: readonly Explained[],
  next: NextCall,
  facts: Pick<Facts, 'served' | 'probes'>,
): Verdict {
  const states = [
    stateOf(next),
    ...explained.flatMap(({ finding }) =>
      finding.consequence === undefined || isOutdone(finding, next) ? [] : [finding.consequence],
    ),
  ];
  const state = calloutStates.find((candidate) => states.includes(candidate)) ?? 'healthy';
  const reasons = explained.filter(({ finding }) => finding.consequence !== undefined);
  const roots = new Set(reasons.map(({ finding, causedBy }) => causedBy ?? finding.checkId));
  const because =
    state === 'healthy' ? [] : [...new Set([...roots, ...reasons.map(({ finding }) => finding.checkId)])];
  const cause = explained.find(({ finding }) => finding.checkId === because[0])?.finding;
  const link = cause?.link ?? (state === 'healthy' ? undefined : next.link);
  const broken = state === 'failing' || state === 'degraded';
  // A certificate that lies in a Secret tells more than the model knows of trust. The first of several sentences is that of
  // the default routing mode, or of one replica.
  const foreseen = next.observed || next.link !== 'tls' ? undefined : foreseenBy(callout, next, reasons);
  const denial = reasons.map(({ finding }) => finding.sentence).find((sentence) => sentence !== undefined);
  const error = foreseen ?? next.sentences[0] ?? foreseenBy(callout, next, reasons) ?? denial;
  return {
    state,
    ...(link === undefined ? {} : { link }),
    confidence: next.observed && stateOf(next) === state ? 'observed' : (cause?.confidence ?? 'derived'),
    because,
    ...(broken && error !== undefined
      ? { error, errorFrom: wasSaid(error, callout, explained, facts) ? 'observed' : 'expected' }
      : {}),
    effect: effectOf(callout, state, explained, facts),
  };
}
