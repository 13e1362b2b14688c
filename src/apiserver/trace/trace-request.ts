import { isDeepStrictEqual } from 'node:util';
import { type AdmissionCallout, type Callout, isAdmission } from '../../facts/callout.ts';
import { defined } from '../../facts/defined.ts';
import type { Labels } from '../../facts/objects/metadata.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { type CallEnd, consequenceOf } from '../admission/failure-policy.ts';
import { type MatchFacts, matchRequest } from '../admission/match.ts';
import { namespaceRefusal } from '../admission/namespace-lifecycle.ts';
import { calledAgain, webhookChain } from '../admission/order.ts';
import { resourceEntryCovers } from '../admission/rules.ts';
import { requestBound } from '../budget/budget.ts';
import { timedOut } from '../budget/timeline.ts';
import { internalError } from '../sentences/call-sentence.ts';
import { matchReason } from './match-reason.ts';
import type { AdmissionCall, ConversionCall, TraceCall, TracedResponse } from './trace-call.ts';
import { asTyped, inVersion, isCustom, requestVersion, type Versioned } from './versions.ts';

/** One webhook at one point of a request. */
export interface TraceStep {
  readonly phase: TraceCall['phase'];
  readonly round: 0 | 1;
  /** Place among all webhooks of its kind, in call order. */
  readonly index: number;
  readonly callout: Callout;
  readonly matched: boolean | 'unknown';
  readonly why: string;
  readonly called: boolean;
  readonly outcome: 'patched' | 'unchanged' | 'allowed' | 'denied' | 'failed' | 'skipped' | 'not-called';
  readonly patch?: readonly object[];
  /** What the client is told, or why it was not called. */
  readonly message?: string;
  readonly effect?: 'blocks' | 'fails-open';
  readonly seconds?: number;
  /** The object as this webhook left it, where it changed it. */
  readonly after?: object;
  /** How the call ended, where it is known. */
  readonly end?: CallEnd;
}

/** How a request goes. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  readonly result: 'admitted' | 'denied' | 'failed' | 'unknown';
  /** What the client may be told: more than one where validating webhooks race. */
  readonly messages: readonly string[];
  /** In the version of the request, after all patches that are known; absent where there is none. */
  readonly object?: object;
  readonly budget: { readonly seconds: number | undefined; readonly spent: number };
}

const labelsOf = (object: object | undefined): Labels =>
  (object as { readonly metadata?: { readonly labels?: Labels } } | undefined)?.metadata?.labels ?? {};

/** A webhook whose rules say nothing of the resource is no part of the story. */
const concerns = ({ rules }: AdmissionCallout, { resource, subresource }: AdmissionRequest): boolean =>
  rules.some((rule) =>
    rule.resources.some((entry) => resourceEntryCovers(entry, resource, subresource ?? '')),
  );

type Calls<T> = Generator<readonly TraceCall[], T, readonly TracedResponse[]>;

/**
 * Follows a request through the webhooks that it meets: the mutating ones one after the other, each with the object as
 * the ones before it left it, once more those that are due, then the validating ones at once
 * (mutating/dispatcher.go, validating/dispatcher.go, admission/reinvocation.go). Yields the calls that are made at one
 * moment and takes what came of them, in the same order. A namespace that is gone, or going, ends it before the first.
 *
 * @param unlisted what could not be listed: webhooks, the CustomResourceDefinitions that name those of conversion.
 */
export function* traceRequest(
  made: AdmissionRequest,
  callouts: readonly Callout[],
  facts: MatchFacts,
  unlisted: { readonly webhooks?: boolean; readonly definitions?: boolean } = {},
): Calls<Trace> {
  const { mutating, validating } = webhookChain(
    callouts.filter(isAdmission).filter((callout) => concerns(callout, made)),
  );
  const places = webhookChain(callouts.filter(isAdmission));
  const bound = requestBound(made.operation === 'CONNECT' ? { request: 'long-running' } : {});
  const custom = isCustom(made);
  const home = requestVersion(made);
  const steps: TraceStep[] = [];
  let spent = 0;
  /** A webhook whose answer nobody knows may have changed the object, or ended the request. */
  let doubt = unlisted.webhooks === true;
  let object = versioned(made.object);
  let old = versioned(made.oldObject);

  function versioned(one: object | undefined): Versioned | undefined {
    return one && { latest: home, in: new Map([[home, one]]) };
  }
  const now = (): AdmissionRequest => {
    const { object: _, ...rest } = made;
    const current = object?.in.get(home);
    return {
      ...rest,
      ...(current === undefined ? {} : { object: current }),
      ...(object === undefined ? {} : { labels: labelsOf(object.in.get(object.latest)) }),
    };
  };
  const ended = (result: Trace['result'], messages: readonly string[]): Trace => {
    const final = object?.in.get(home);
    return {
      steps,
      result,
      messages,
      ...(final === undefined ? {} : { object: final }),
      budget: { seconds: bound, spent },
    };
  };
  const outOfTime = (): Trace | undefined =>
    bound !== undefined && spent >= bound ? ended('failed', timedOut({}).messages) : undefined;

  /** The request as a webhook gets it; or how the conversion to its version keeps it from that. */
  function* sentTo(
    as: AdmissionRequest,
  ): Calls<
    { readonly request: AdmissionRequest } | { readonly fails: string } | { readonly untold: string }
  > {
    const to = requestVersion(as);
    const converted: { object?: object; oldObject?: object } = {};
    for (const member of ['oldObject', 'object'] as const) {
      const before = member === 'object' ? object : old;
      if (before === undefined) continue;
      const { versions, call, answer, failed } = yield* inVersion(
        before,
        to,
        made,
        callouts,
        unlisted.definitions === true,
      );
      if (member === 'object') object = versions;
      else old = versions;
      if (call !== undefined && answer !== undefined) {
        spent += answer.seconds;
        steps.push(conversionStep(call, answer));
      }
      if (failed !== undefined) return failed;
      const found = versions.in.get(to);
      if (found !== undefined) converted[member] = found;
    }
    return { request: { ...as, labels: labelsOf(converted.object), ...converted } };
  }

  /** Whether the webhook is called now; a step where it is not, a trace where the request ends here. */
  function* meet(
    callout: AdmissionCallout,
    round: 0 | 1,
  ): Calls<Trace | { readonly base: StepBase; readonly call: AdmissionCall } | undefined> {
    const match = matchRequest(callout, now(), facts);
    const index = places[callout.kind].indexOf(callout);
    const base = {
      phase: callout.kind,
      round,
      index,
      callout,
      why: matchReason(callout, now(), match),
    };
    if (match.outcome === 'skipped') {
      if (round === 0) steps.push({ ...base, matched: false, called: false, outcome: 'skipped' });
      return undefined;
    }
    if (match.outcome === 'rejected') {
      const message = match.text;
      steps.push({
        ...base,
        matched: 'unknown',
        called: false,
        outcome: 'failed',
        message,
        effect: 'blocks',
      });
      return ended(doubt ? 'unknown' : 'failed', [message]);
    }
    if (match.outcome === 'unknown') {
      doubt = true;
      steps.push({ ...base, matched: 'unknown', called: false, outcome: 'not-called' });
      return undefined;
    }
    const sent = yield* sentTo(match.as ?? made);
    if ('fails' in sent) {
      steps.push({
        ...base,
        matched: true,
        called: false,
        outcome: 'failed',
        message: sent.fails,
        effect: 'blocks',
      });
      return ended('failed', [internalError(sent.fails)]);
    }
    if ('untold' in sent) {
      doubt = true;
      const message = sent.untold;
      steps.push({ ...base, matched: true, called: false, outcome: 'not-called', message });
      return undefined;
    }
    const { object: current } = now();
    const requested = { ...made, ...(current === undefined ? {} : { object: current }) };
    const call: AdmissionCall = { phase: callout.kind, callout, round, request: sent.request, requested };
    return { base: { ...base, matched: true as const }, call };
  }

  /** One mutating webhook: whether it was called and changed the object; a trace where the request ends. */
  function* mutate(
    callout: AdmissionCallout,
    round: 0 | 1,
  ): Calls<Trace | { readonly changed: boolean } | undefined> {
    const met = yield* meet(callout, round);
    if (met === undefined || 'steps' in met) return met;
    const [answer] = yield [met.call];
    if (answer === undefined) throw new Error('a call without an answer');
    spent += answer.seconds;
    const before = met.call.request.object;
    const patched = answer.end.outcome === 'allowed' ? answer.end.patched : undefined;
    const read = custom ? (one: unknown) => one : asTyped;
    const after = read(patched);
    const changed = patched !== undefined && !isDeepStrictEqual(read(before), after);
    const step = stepOf(met.base, answer, changed, made);
    steps.push(changed ? { ...step, after: after as object } : step);
    if (step.outcome === 'not-called' || answer.doubt !== undefined) doubt = true;
    if (changed) {
      const to = requestVersion(met.call.request);
      object = { latest: to, in: new Map([[to, after as object]]) };
    }
    const late = outOfTime();
    if (late !== undefined) return late;
    if (step.effect === 'blocks') {
      const denied = step.outcome === 'denied';
      return ended(doubt && denied ? 'unknown' : denied ? 'denied' : 'failed', clientMessage(step));
    }
    return { changed };
  }

  const refusal = namespaceRefusal(made, facts);
  if (refusal !== undefined) return ended('failed', [refusal]);
  const calledFirst: AdmissionCallout[] = [];
  const changed = [new Set<AdmissionCallout>(), new Set<AdmissionCallout>()] as const;
  function* round(due: Iterable<AdmissionCallout>, number: 0 | 1): Calls<Trace | undefined> {
    for (const callout of due) {
      const met = yield* mutate(callout, number);
      if (met === undefined) continue;
      if ('steps' in met) return met;
      if (number === 0) calledFirst.push(callout);
      if (met.changed) changed[number].add(callout);
    }
    return undefined;
  }
  const first = yield* round(mutating, 0);
  if (first !== undefined) return first;
  const again = calledAgain(
    calledFirst,
    (callout) => changed[0].has(callout),
    (callout) => changed[1].has(callout),
  );
  const second = yield* round(again, 1);
  if (second !== undefined) return second;
  // Back to the version of the request, if a webhook changed it in another one.
  const back = yield* sentTo(made);
  if ('fails' in back) return ended('failed', [internalError(back.fails)]);

  const calls: AdmissionCall[] = [];
  const bases: StepBase[] = [];
  for (const callout of validating) {
    const met = yield* meet(callout, 0);
    if (met === undefined) continue;
    if ('steps' in met) return met;
    calls.push(met.call);
    bases.push(met.base);
  }
  const answers = calls.length === 0 ? [] : yield calls;
  const checked = bases.map((base, at) => {
    const answer = answers[at];
    if (answer === undefined) throw new Error('a call without an answer');
    return stepOf(base, answer, false, made);
  });
  steps.push(...checked);
  spent += Math.max(0, ...answers.map(({ seconds }) => seconds));
  const late = outOfTime();
  if (late !== undefined) return late;
  const refusals = checked.filter(({ effect }) => effect === 'blocks');
  const failure = refusals.find(({ outcome }) => outcome === 'failed');
  const messages = refusals.flatMap(clientMessage);
  if (failure !== undefined && (doubt || refusals.length === 1)) return ended('failed', messages);
  if (refusals.length > 0) return ended(doubt ? 'unknown' : 'denied', messages);
  const untold =
    doubt || checked.some(({ outcome }, at) => outcome === 'not-called' || answers[at]?.doubt !== undefined);
  return ended(untold ? 'unknown' : 'admitted', []);
}

type StepBase = Pick<TraceStep, 'phase' | 'round' | 'index' | 'why' | 'matched'> & {
  readonly callout: AdmissionCallout;
};

function conversionStep({ callout, to }: ConversionCall, { end, seconds }: TracedResponse): TraceStep {
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

const clientMessage = ({ message }: TraceStep): readonly string[] => (message === undefined ? [] : [message]);

/** What came of a call, with what follows for the request. */
function stepOf(
  base: StepBase,
  { end, seconds, doubt }: TracedResponse,
  changed: boolean,
  { operation }: AdmissionRequest,
): TraceStep {
  if ('why' in end) return { ...base, called: false, outcome: 'not-called', message: end.why };
  const ending: CallEnd = end.outcome === 'allowed' ? { outcome: 'allowed', changed } : end;
  const { answer, failedOpen } = consequenceOf(ending, base.callout, base, operation);
  const effect = failedOpen ? 'fails-open' : answer === undefined ? undefined : 'blocks';
  const message = answer?.message ?? ('text' in ending ? ending.text : doubt);
  const patch = end.outcome === 'allowed' ? end.patch : undefined;
  const outcome = outcomeOf(ending, base.callout.kind, changed);
  return {
    ...base,
    called: true,
    outcome,
    seconds,
    end: ending,
    ...defined({ patch, message, effect }),
  };
}

function outcomeOf(end: CallEnd, kind: AdmissionCallout['kind'], changed: boolean): TraceStep['outcome'] {
  if (end.outcome === 'denied') return 'denied';
  if (end.outcome !== 'allowed') return 'failed';
  if (kind === 'validating') return 'allowed';
  return changed ? 'patched' : 'unchanged';
}
