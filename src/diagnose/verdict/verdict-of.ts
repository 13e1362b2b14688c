import { isNeverMatched } from '../../apiserver/admission/condition-shapes.ts';
import { probesOf } from '../../apiserver/connection/probed-servers.ts';
import { couldNotBeRead, type NextCall } from '../../apiserver/next-call/call-outcome.ts';
import { callSentence } from '../../apiserver/sentences/call-sentence.ts';
import type { ChainLink } from '../../checks/chain.ts';
import type { Finding } from '../../checks/check.ts';
import { type Callout, failsOpen, isAdmission } from '../../facts/callout.ts';
import type { Facts } from '../../facts/snapshot.ts';
import type { ExplainedFinding } from '../findings/cause.ts';
import { type CalloutState, calloutStates, type Effect, isBroken, type Verdict } from '../report.ts';

/** Links that a connection passes, so that a probe confirms their state. */
const probedLinks: readonly ChainLink[] = ['routing', 'backend', 'replica', 'tls', 'response', 'network'];

/** True for a derived finding about a link that probes passed: their result decides. */
const isContradicted = ({ confidence, link }: Finding, { observed }: NextCall): boolean =>
  observed === true && confidence === 'derived' && probedLinks.includes(link);

/** True for a webhook or APIService that its own configuration excludes from every call. */
const isNeverCalled = (findings: readonly Finding[]): boolean =>
  findings.some(({ implies }) => implies === 'never-called');

/**
 * Removes the consequence of findings that affect no call. If probes show that every such call succeeds, an error
 * becomes a warning: the objects are still wrong. If there is no call, it becomes information.
 */
export function withEffectOnly(findings: readonly Finding[], next: NextCall): readonly Finding[] {
  const noCall = isNeverCalled(findings);
  return findings.map((finding) => {
    const { consequence, ...rest } = finding;
    const isContrary = next.outcome === 'succeeds' && isContradicted(finding, next);
    if (consequence === undefined || !(noCall || isContrary)) return finding;
    const milder = finding.severity === 'error' ? 'warning' : finding.severity;
    const severity = noCall ? 'info' : milder;
    return { ...rest, severity };
  });
}

/**
 * Converts the prediction to a state. Only a requested read that failed makes the state unknown, not what no
 * object shows (a DNS name, a URL, a Pod that was not probed).
 */
function stateOf(next: NextCall): CalloutState {
  if (next.outcome === 'fails') return 'failing';
  if (next.outcome === 'fails-for-some') return 'degraded';
  return couldNotBeRead(next) ? 'unknown' : 'healthy';
}

function effectOf(
  callout: Callout,
  state: CalloutState,
  explained: readonly ExplainedFinding[],
  facts: Pick<Facts, 'served'>,
): Effect {
  if (!isBroken(state)) return 'none';
  const implied = explained.map(({ finding }) => finding.implies);
  if (implied.includes('not-called-now')) return 'none';
  if (isAdmission(callout) && isNeverMatched(callout, facts)) return 'none';
  if (implied.includes('admitted-anyway')) return 'fails-open';
  return failsOpen(callout) && !implied.includes('refused-anyway') ? 'fails-open' : 'blocks';
}

/**
 * The error message that the first finding with known words predicts. There is no prediction if an earlier
 * link could not be read: the call may end there.
 */
function predictedError(
  callout: Callout,
  next: NextCall,
  reasons: readonly ExplainedFinding[],
  { version }: Pick<Facts, 'version'>,
): string | undefined {
  if (couldNotBeRead(next)) return undefined;
  const cause = reasons.map(({ finding }) => finding.predictedError).find((text) => text !== undefined);
  return cause === undefined ? undefined : callSentence(callout, cause, version);
}

/** True if the API server returned this error in this run, or an Event, condition or log has it. */
function isQuoted(
  error: string,
  callout: Callout,
  explained: readonly ExplainedFinding[],
  facts: Pick<Facts, 'probes'>,
): boolean {
  const { dryRun, invalid, discovery, notTried = [] } = probesOf(callout, facts) ?? {};
  return [
    dryRun?.message,
    invalid?.message,
    discovery?.message,
    ...notTried.map(({ detail }) => detail),
    ...explained.flatMap(({ finding }) => finding.evidence.map(({ value }) => value)),
  ].some((text) => text?.includes(error));
}

/**
 * The verdict on the next call over a new connection. The worse of the prediction and the findings counts;
 * the findings give the cause. If probes confirmed the result of every such call, a derived finding about the
 * same links only explains it.
 */
export function verdictOf(
  callout: Callout,
  explained: readonly ExplainedFinding[],
  next: NextCall,
  facts: Pick<Facts, 'served' | 'probes' | 'version'>,
): Verdict {
  const neverCalled = isNeverCalled(explained.map(({ finding }) => finding));
  const foreseen = neverCalled ? 'healthy' : stateOf(next);
  const states = [
    foreseen,
    ...explained.flatMap(({ finding }) =>
      finding.consequence === undefined || isContradicted(finding, next) ? [] : [finding.consequence],
    ),
  ];
  const state = calloutStates.find((candidate) => states.includes(candidate)) ?? 'healthy';
  const reasons = explained.filter(({ finding }) => finding.consequence !== undefined);
  const roots = new Set(reasons.map(({ finding, causedBy }) => causedBy ?? finding.checkId));
  const because =
    state === 'healthy' ? [] : [...new Set([...roots, ...reasons.map(({ finding }) => finding.checkId)])];
  const cause = explained.find(({ finding }) => finding.checkId === because[0])?.finding;
  const link = cause?.link ?? (state === 'healthy' ? undefined : next.link);
  // The findings read the certificate in the Secret, the prediction does not. The first of several sentences
  // is for the default routing mode, or for one replica.
  const predicted =
    next.observed || next.link !== 'tls' ? undefined : predictedError(callout, next, reasons, facts);
  const denial = reasons.map(({ finding }) => finding.sentence).find((sentence) => sentence !== undefined);
  const error = predicted ?? next.sentences[0] ?? predictedError(callout, next, reasons, facts) ?? denial;
  return {
    state,
    ...(link === undefined ? {} : { link }),
    confidence: next.observed && foreseen === state ? 'observed' : (cause?.confidence ?? 'derived'),
    because,
    ...(isBroken(state) && error !== undefined
      ? { error, errorFrom: isQuoted(error, callout, explained, facts) ? 'observed' : 'expected' }
      : {}),
    effect: effectOf(callout, state, explained, facts),
    ...(neverCalled ? { neverCalled } : {}),
  };
}
