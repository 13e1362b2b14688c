import { isNeverAsked } from '../apiserver/admission/condition-shapes.ts';
import type { NextCall } from '../apiserver/next-call/call-fate.ts';
import { callSentence } from '../apiserver/sentences/call-sentence.ts';
import { type Callout, failsOpen, isAdmission } from '../facts/callout.ts';
import type { Facts } from '../facts/snapshot.ts';
import type { Explained } from './cause.ts';
import { isOutdone } from './outdone.ts';
import type { CalloutState, Effect, Verdict } from './report.ts';

/** Worst first. An established break outranks a doubt: the doubt can only make it worse. */
const order: readonly CalloutState[] = ['failing', 'degraded', 'unknown', 'healthy'];

/**
 * The model's answer as a state. A fate that no object shows (a DNS name, a URL, a replica nobody looked at) was not
 * asked for: only what was asked for and could not be read makes a callout unknown.
 */
function stateOf({ fate, unread }: NextCall): CalloutState {
  if (fate === 'fails') return 'failing';
  if (fate === 'fails-for-some') return 'degraded';
  return unread !== undefined && unread.why !== 'not-requested' ? 'unknown' : 'healthy';
}

/** Findings that say that no request ever reaches the webhook. */
const neverCalled: readonly string[] = ['no-rules', 'namespace-selector-matches-nothing'];

/** Messages of response-patch-invalid about requests that end in an error, whatever failurePolicy says. */
const stopping: readonly string[] = ['stops', 'stopsSome', 'spoils', 'replaces'];
const isStopping = ({ finding }: Explained): boolean =>
  finding.checkId === 'response-patch-invalid' && stopping.includes(finding.messageId);

function effectOf(
  callout: Callout,
  state: CalloutState,
  explained: readonly Explained[],
  facts: Pick<Facts, 'served'>,
): Effect {
  if (state !== 'failing' && state !== 'degraded') return 'none';
  if (explained.some(({ finding }) => neverCalled.includes(finding.checkId))) return 'none';
  if (isAdmission(callout) && isNeverAsked(callout, facts)) return 'none';
  return failsOpen(callout) && !explained.some(isStopping) ? 'fails-open' : 'blocks';
}

/** The API server's sentence as the first finding that knows its words foresees it. */
function foreseenBy(callout: Callout, reasons: readonly Explained[]): string | undefined {
  const words = reasons.map(({ finding }) => finding.words).find((text) => text !== undefined);
  return words === undefined ? undefined : callSentence(callout, words);
}

/**
 * Would the next call over a new connection succeed? The model's answer and the findings' are joined, the worse one
 * counts; the findings say why. Where probes saw how every such call ends, what is only derived about the same links
 * explains it and does not worsen it.
 */
export function judge(
  callout: Callout,
  explained: readonly Explained[],
  next: NextCall,
  facts: Pick<Facts, 'served'>,
): Verdict {
  const states = [
    stateOf(next),
    ...explained.flatMap(({ finding }) =>
      finding.consequence === undefined || isOutdone(finding, next) ? [] : [finding.consequence],
    ),
  ];
  const state = order.find((candidate) => states.includes(candidate)) ?? 'healthy';
  const reasons = explained.filter(({ finding }) => finding.consequence !== undefined);
  const roots = new Set(reasons.map(({ finding, causedBy }) => causedBy ?? finding.checkId));
  const because =
    state === 'healthy' ? [] : [...new Set([...roots, ...reasons.map(({ finding }) => finding.checkId)])];
  const cause = explained.find(({ finding }) => finding.checkId === because[0])?.finding;
  const link = cause?.link ?? (state === 'healthy' ? undefined : next.link);
  const broken = state === 'failing' || state === 'degraded';
  // A certificate that lies in a Secret tells more than the model knows of trust. The first of several sentences is that of
  // the default routing mode, or of one replica.
  const foreseen = next.observed || next.link !== 'tls' ? undefined : foreseenBy(callout, reasons);
  const denial = reasons.map(({ finding }) => finding.sentence).find((sentence) => sentence !== undefined);
  const error = foreseen ?? next.sentences[0] ?? foreseenBy(callout, reasons) ?? denial;
  return {
    state,
    ...(link === undefined ? {} : { link }),
    confidence: next.observed && stateOf(next) === state ? 'observed' : (cause?.confidence ?? 'derived'),
    because,
    ...(broken && error !== undefined ? { error } : {}),
    effect: effectOf(callout, state, explained, facts),
  };
}
