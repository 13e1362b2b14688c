import { isDeepStrictEqual } from 'node:util';
import { type AdmissionCallout, type Callout, isAdmission } from '../../facts/callout.ts';
import type { Labels } from '../../facts/objects/label-selector.ts';
import { groupVersionOf } from '../../facts/resource.ts';
import type { AdmissionRequest } from '../admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../admission/match.ts';
import { namespaceRefusal } from '../admission/namespace-lifecycle.ts';
import { calledAgain, type WebhookChain, webhookChain } from '../admission/order.ts';
import { resourceEntryCovers } from '../admission/rules.ts';
import { requestBound } from '../budget/budget.ts';
import { timedOut } from '../budget/timeline.ts';
import { internalError } from '../sentences/call-sentence.ts';
import { matchReason } from './match-reason.ts';
import type { AdmissionCall, TraceCall, TracedResponse } from './trace-call.ts';
import {
  admissionStep,
  conversionStep,
  refusedStep,
  type StepBase,
  type TraceStep,
  uncalledStep,
} from './trace-step.ts';
import { asTyped, inVersion, isCustom, type Versioned } from './versions.ts';

/** The calls of one request to its webhooks, and its result. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  readonly result: 'admitted' | 'denied' | 'failed' | 'unknown';
  /** The errors that the client may get: several if more than one validating webhook refuses the request. */
  readonly messages: readonly string[];
  /** In the version of the request, after all known patches; absent if there is none. */
  readonly object?: object;
  readonly budget: { readonly seconds: number | undefined; readonly spent: number };
}

/** The objects that could not be listed: webhooks, or CustomResourceDefinitions with conversion webhooks. */
interface Unlisted {
  readonly webhooks?: boolean;
  readonly definitions?: boolean;
}

/** Yields the calls that the API server makes at the same time; receives their results in the same order. */
type Calls<T> = Generator<readonly TraceCall[], T, readonly TracedResponse[]>;

/** A request after the calls so far. */
interface Progress {
  readonly request: AdmissionRequest;
  readonly callouts: readonly Callout[];
  readonly facts: MatchFacts;
  readonly unlisted: Unlisted;
  /** All admission webhooks of the cluster in call order, for {@link TraceStep.index}. */
  readonly order: WebhookChain;
  /** Seconds for the whole request; undefined: no limit. */
  readonly bound: number | undefined;
  readonly steps: TraceStep[];
  /** Seconds. */
  spent: number;
  /** An earlier webhook with an unknown result may have changed the object, or refused the request. */
  uncertain: boolean;
  object: Versioned | undefined;
  oldObject: Versioned | undefined;
}

/** The result at one webhook: it is called, it is skipped, or the request ends. */
type Encounter =
  | { readonly kind: 'not-called' }
  | { readonly kind: 'ended'; readonly trace: Trace }
  | { readonly kind: 'call'; readonly base: StepBase; readonly call: AdmissionCall };

/**
 * Follows a request through its webhooks: the mutating ones one after the other, each with the object as
 * changed by those before it; a second round for those that are called again; then the validating ones in
 * parallel (mutating/dispatcher.go, validating/dispatcher.go, admission/reinvocation.go). A namespace that is
 * absent or terminating ends the request before the first webhook.
 */
export function* traceRequest(
  request: AdmissionRequest,
  callouts: readonly Callout[],
  facts: MatchFacts,
  unlisted: Unlisted = {},
): Calls<Trace> {
  const progress = begin(request, callouts, facts, unlisted);
  const refusal = namespaceRefusal(request, facts);
  if (refusal !== undefined) return ended(progress, 'failed', [refusal]);

  const { mutating, validating } = webhookChain(
    callouts.filter(isAdmission).filter((callout) => concerns(callout, request)),
  );
  const refused = yield* callMutating(progress, mutating);
  if (refused !== undefined) return refused;
  // Validating webhooks get the version of the request, also if a mutating webhook changed the object in
  // another one.
  const converted = yield* inRequestedVersion(progress, request);
  if ('fails' in converted) return ended(progress, 'failed', [internalError(converted.fails)]);
  return yield* callValidating(progress, validating);
}

function begin(
  request: AdmissionRequest,
  callouts: readonly Callout[],
  facts: MatchFacts,
  unlisted: Unlisted,
): Progress {
  const version = groupVersionOf(request);
  const versioned = (object: object | undefined): Versioned | undefined =>
    object && { latest: version, in: new Map([[version, object]]) };
  return {
    request,
    callouts,
    facts,
    unlisted,
    order: webhookChain(callouts.filter(isAdmission)),
    bound: requestBound(request.operation === 'CONNECT' ? { request: 'long-running' } : {}),
    steps: [],
    spent: 0,
    uncertain: unlisted.webhooks === true,
    object: versioned(request.object),
    oldObject: versioned(request.oldObject),
  };
}

/** A webhook whose rules do not match the resource is not part of the trace. */
const concerns = ({ rules }: AdmissionCallout, { resource, subresource }: AdmissionRequest): boolean =>
  rules.some((rule) =>
    rule.resources.some((entry) => resourceEntryCovers(entry, resource, subresource ?? '')),
  );

/** Both rounds of the mutating webhooks; the trace, if the request ends in one. */
function* callMutating(progress: Progress, mutating: readonly AdmissionCallout[]): Calls<Trace | undefined> {
  const called: AdmissionCallout[] = [];
  const changed = [new Set<AdmissionCallout>(), new Set<AdmissionCallout>()] as const;
  function* round(due: Iterable<AdmissionCallout>, number: 0 | 1): Calls<Trace | undefined> {
    for (const callout of due) {
      const result = yield* mutate(progress, callout, number);
      if (result.kind === 'ended') return result.trace;
      if (result.kind === 'not-called') continue;
      if (number === 0) called.push(callout);
      if (result.changed) changed[number].add(callout);
    }
    return undefined;
  }
  const refused = yield* round(mutating, 0);
  if (refused !== undefined) return refused;
  const again = calledAgain(
    called,
    (callout) => changed[0].has(callout),
    (callout) => changed[1].has(callout),
  );
  return yield* round(again, 1);
}

function* mutate(
  progress: Progress,
  callout: AdmissionCallout,
  round: 0 | 1,
): Calls<Exclude<Encounter, { kind: 'call' }> | { readonly kind: 'called'; readonly changed: boolean }> {
  const encounter = yield* encounterOf(progress, callout, round);
  if (encounter.kind !== 'call') return encounter;
  const { base, call } = encounter;
  const response = responseAt(yield [call], 0);
  progress.spent += response.seconds;
  const after = changedObject(progress.request, call.request.object, response);
  const changed = after !== undefined;
  const step = admissionStep(base, response, changed);
  progress.steps.push(changed ? { ...step, after } : step);
  if (step.outcome === 'not-called' || response.doubt !== undefined) progress.uncertain = true;
  if (changed) {
    const version = groupVersionOf(call.request);
    progress.object = { latest: version, in: new Map([[version, after]]) };
  }
  const trace = outOfTime(progress) ?? refusedBy(progress, step);
  return trace === undefined ? { kind: 'called', changed } : { kind: 'ended', trace };
}

/** The object after the patch of a response; undefined if the response does not change it. */
function changedObject(
  request: AdmissionRequest,
  before: object | undefined,
  { end }: TracedResponse,
): object | undefined {
  const patched = end.outcome === 'allowed' ? end.patched : undefined;
  if (patched === undefined) return undefined;
  const read = isCustom(request) ? (object: unknown) => object : asTyped;
  const after = read(patched);
  return isDeepStrictEqual(read(before), after) ? undefined : (after as object);
}

function* callValidating(progress: Progress, validating: readonly AdmissionCallout[]): Calls<Trace> {
  const calls: AdmissionCall[] = [];
  const bases: StepBase[] = [];
  for (const callout of validating) {
    const encounter = yield* encounterOf(progress, callout, 0);
    if (encounter.kind === 'ended') return encounter.trace;
    if (encounter.kind === 'not-called') continue;
    calls.push(encounter.call);
    bases.push(encounter.base);
  }
  const responses = calls.length === 0 ? [] : yield calls;
  const steps = bases.map((base, at) => admissionStep(base, responseAt(responses, at), false));
  progress.steps.push(...steps);
  progress.spent += Math.max(0, ...responses.map(({ seconds }) => seconds));
  return outOfTime(progress) ?? validated(progress, steps, responses);
}

/** The result after the validating webhooks. */
function validated(
  progress: Progress,
  steps: readonly TraceStep[],
  responses: readonly TracedResponse[],
): Trace {
  const refusals = steps.filter(({ effect }) => effect === 'blocks');
  const failure = refusals.find(({ outcome }) => outcome === 'failed');
  const messages = refusals.flatMap(clientMessage);
  if (failure !== undefined && (progress.uncertain || refusals.length === 1))
    return ended(progress, 'failed', messages);
  if (refusals.length > 0) return ended(progress, progress.uncertain ? 'unknown' : 'denied', messages);
  const uncertain =
    progress.uncertain ||
    steps.some(({ outcome }) => outcome === 'not-called') ||
    responses.some(({ doubt }) => doubt !== undefined);
  return ended(progress, uncertain ? 'unknown' : 'admitted', []);
}

/** Whether the webhook is called now; records a step if it is not. */
function* encounterOf(progress: Progress, callout: AdmissionCallout, round: 0 | 1): Calls<Encounter> {
  const { request, facts, steps } = progress;
  const current = currentRequest(progress);
  const match = matchRequest(callout, current, facts);
  const base = {
    phase: callout.kind,
    round,
    index: progress.order[callout.kind].indexOf(callout),
    callout,
    why: matchReason(callout, current, match, facts.version),
  };
  switch (match.outcome) {
    case 'skipped':
      if (round === 0) steps.push(uncalledStep({ ...base, matched: false }, 'skipped'));
      return { kind: 'not-called' };
    case 'unknown':
      progress.uncertain = true;
      steps.push(uncalledStep({ ...base, matched: 'unknown' }, 'not-called'));
      return { kind: 'not-called' };
    case 'rejected':
      steps.push(refusedStep({ ...base, matched: 'unknown' }, match.text));
      return {
        kind: 'ended',
        trace: ended(progress, progress.uncertain ? 'unknown' : 'failed', [match.text]),
      };
    default:
      return yield* callOf(progress, { ...base, matched: true }, match.as ?? request);
  }
}

/** The call of a webhook that matches, in the version that it gets. */
function* callOf(progress: Progress, base: StepBase, as: AdmissionRequest): Calls<Encounter> {
  const converted = yield* inRequestedVersion(progress, as);
  if ('fails' in converted) {
    progress.steps.push(refusedStep(base, converted.fails));
    return { kind: 'ended', trace: ended(progress, 'failed', [internalError(converted.fails)]) };
  }
  if ('unknown' in converted) {
    progress.uncertain = true;
    progress.steps.push(uncalledStep(base, 'not-called', converted.unknown));
    return { kind: 'not-called' };
  }
  const { callout, round } = base;
  const { object } = currentRequest(progress);
  const requested = { ...progress.request, ...(object === undefined ? {} : { object }) };
  return {
    kind: 'call',
    base,
    call: { phase: callout.kind, callout, round, request: converted.request, requested },
  };
}

/** The request with its objects in the version of `as`; or why they cannot be converted. */
function* inRequestedVersion(
  progress: Progress,
  as: AdmissionRequest,
): Calls<{ readonly request: AdmissionRequest } | { readonly fails: string } | { readonly unknown: string }> {
  const version = groupVersionOf(as);
  const converted: { object?: object; oldObject?: object } = {};
  for (const member of ['oldObject', 'object'] as const) {
    const before = progress[member];
    if (before === undefined) continue;
    const { versions, call, answer, failed } = yield* inVersion(before, version, progress);
    progress[member] = versions;
    if (call !== undefined && answer !== undefined) {
      progress.spent += answer.seconds;
      progress.steps.push(conversionStep(call, answer));
    }
    if (failed !== undefined) return failed;
    const object = versions.in.get(version);
    if (object !== undefined) converted[member] = object;
  }
  return { request: { ...as, labels: labelsOf(converted.object), ...converted } };
}

const labelsOf = (object: object | undefined): Labels =>
  (object as { readonly metadata?: { readonly labels?: Labels } } | undefined)?.metadata?.labels ?? {};

function currentRequest({ request, object }: Progress): AdmissionRequest {
  const { object: _, ...rest } = request;
  const current = object?.in.get(groupVersionOf(request));
  return {
    ...rest,
    ...(current === undefined ? {} : { object: current }),
    ...(object === undefined ? {} : { labels: labelsOf(object.in.get(object.latest)) }),
  };
}

function ended(progress: Progress, result: Trace['result'], messages: readonly string[]): Trace {
  const { steps, bound, spent, object, request } = progress;
  const final = object?.in.get(groupVersionOf(request));
  return {
    steps,
    result,
    messages,
    ...(final === undefined ? {} : { object: final }),
    budget: { seconds: bound, spent },
  };
}

const outOfTime = (progress: Progress): Trace | undefined =>
  progress.bound !== undefined && progress.spent >= progress.bound
    ? ended(progress, 'failed', timedOut({}).messages)
    : undefined;

/** The trace if this step ends the request. */
function refusedBy(progress: Progress, step: TraceStep): Trace | undefined {
  if (step.effect !== 'blocks') return undefined;
  const denied = progress.uncertain ? 'unknown' : 'denied';
  return ended(progress, step.outcome === 'denied' ? denied : 'failed', clientMessage(step));
}

const clientMessage = ({ message }: TraceStep): readonly string[] => (message === undefined ? [] : [message]);

function responseAt(responses: readonly TracedResponse[], at: number): TracedResponse {
  const response = responses[at];
  if (response === undefined) throw new Error('a call without a response');
  return response;
}
