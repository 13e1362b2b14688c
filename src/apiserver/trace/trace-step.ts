import { defined } from '../../basics/collections.ts';
import type { AdmissionCallout, Callout } from '../../facts/callout.ts';
import { type CallEnd, consequenceOf } from '../admission/failure-policy.ts';
import type { ConversionCall, TraceCall, TracedResponse } from './trace-call.ts';

/** One webhook at one point of a request. */
export interface TraceStep {
  readonly phase: TraceCall['phase'];
  readonly round: 0 | 1;
  /** Position among all webhooks of its kind, in call order. */
  readonly index: number;
  readonly callout: Callout;
  readonly matched: boolean | 'unknown';
  readonly why: string;
  readonly called: boolean;
  readonly outcome: 'patched' | 'unchanged' | 'allowed' | 'denied' | 'failed' | 'skipped' | 'not-called';
  readonly patch?: readonly object[];
  /** The error that the client gets, or why the webhook was not called. */
  readonly message?: string;
  readonly effect?: 'blocks' | 'fails-open';
  readonly seconds?: number;
  /** The object after this webhook, if it changed it. */
  readonly after?: object;
  readonly end?: CallEnd;
}

/** The part of a step that is known before the call. */
export type StepBase = Pick<TraceStep, 'phase' | 'round' | 'index' | 'why' | 'matched'> & {
  readonly callout: AdmissionCallout;
};

/** A webhook that is not called: no match, the request ends before, or its result cannot be known. */
export const uncalledStep = (
  base: StepBase,
  outcome: 'skipped' | 'not-called',
  message?: string,
): TraceStep => ({ ...base, called: false, outcome, ...defined({ message }) });

/** A webhook for which the API server refuses the request before it calls it. */
export const refusedStep = (base: StepBase, message: string): TraceStep => ({
  ...base,
  called: false,
  outcome: 'failed',
  message,
  effect: 'blocks',
});

/** The call of a conversion webhook. */
export function conversionStep({ callout, to }: ConversionCall, { end, seconds }: TracedResponse): TraceStep {
  const base = { phase: 'conversion', round: 0, index: 0, callout, matched: true, seconds } as const;
  const why = `a webhook gets the object as ${to}`;
  switch (end.outcome) {
    case 'allowed':
      return { ...base, why, called: true, outcome: 'patched' };
    case 'unknown':
    case 'not-called':
      return { ...base, why, called: false, outcome: 'not-called', message: end.why };
    default: {
      const message = 'text' in end ? end.text : end.message;
      return { ...base, why, called: true, outcome: 'failed', message, effect: 'blocks' };
    }
  }
}

/** The call of an admission webhook, with its consequence for the request. */
export function admissionStep(
  base: StepBase,
  { end, seconds, doubt }: TracedResponse,
  changed: boolean,
): TraceStep {
  if ('why' in end) return uncalledStep(base, 'not-called', end.why);
  const ending: CallEnd = end.outcome === 'allowed' ? { outcome: 'allowed', changed } : end;
  const { answer, failedOpen } = consequenceOf(ending, base.callout);
  const blocks = answer === undefined ? undefined : 'blocks';
  const effect = failedOpen ? 'fails-open' : blocks;
  const message = answer?.message ?? ('text' in ending ? ending.text : doubt);
  const patch = end.outcome === 'allowed' ? end.patch : undefined;
  const outcome = outcomeOf(ending, base.callout.kind, changed);
  return { ...base, called: true, outcome, seconds, end: ending, ...defined({ patch, message, effect }) };
}

function outcomeOf(end: CallEnd, kind: AdmissionCallout['kind'], changed: boolean): TraceStep['outcome'] {
  if (end.outcome === 'denied') return 'denied';
  if (end.outcome !== 'allowed') return 'failed';
  if (kind === 'validating') return 'allowed';
  return changed ? 'patched' : 'unchanged';
}
