import type { AdmissionCallout } from '../../facts/callout.ts';
import { type CallEnd, consequenceOf, unavailableCode } from '../admission/failure-policy.ts';
import { calledAgain, webhookChain } from '../admission/order.ts';
import { callSentence } from '../sentences/call-sentence.ts';
import { clientSeconds, type RequestLimits, requestBound } from './budget.ts';

/** The behaviour of a backend: it never responds, or it responds after some seconds. */
export type BackendBehaviour = 'hangs' | { readonly afterSeconds: number; readonly end: CallEnd };

/** One call; times are seconds since the start of the request. */
export interface TimedCall {
  readonly callout: AdmissionCallout;
  readonly round: 0 | 1;
  readonly endsAt: number;
  /** `?timeout=` of the URL: the remaining time, in whole seconds rounded up. */
  readonly urlTimeout: string;
  /** Absent if the request ended before the call. */
  readonly end?: CallEnd;
}

/** The calls of a request and its end. `messages`: the possible errors; several if there is a race. */
export interface Timeline {
  readonly calls: readonly TimedCall[];
  readonly seconds: number;
  readonly end: 'admitted' | 'stopped' | 'timed-out';
  readonly messages: readonly string[];
  /** True if the race may also end in a connection that is closed without a response. */
  readonly mayHangUp: boolean;
}

/** The error of a request that exceeds its own deadline. */
export const outOfTime =
  'Timeout: request did not complete within requested timeout - context deadline exceeded';
const allotted = 'Timeout: request did not complete within the allotted timeout';

/**
 * The 504 of a request that exceeds its time; it names no webhook. The 34 s of a write have one text. At the
 * request's own deadline two parts of the API server race to report it, and if the inner one is first the
 * connection is closed (endpoints/handlers/finisher, server/filters/timeout.go).
 */
export function timedOut(limits: RequestLimits): Pick<Timeline, 'messages' | 'mayHangUp'> {
  const bound = requestBound(limits);
  const outer = requestBound({ ...limits, request: 'collection' });
  return bound === outer
    ? { messages: [allotted, outOfTime], mayHangUp: true }
    : { messages: [outOfTime], mayHangUp: false };
}

/**
 * Go's errors for a call that exceeds its timeout. At 30 s the deadline of the webhook and that of the HTTP
 * client race (net/http setRequestCancel).
 */
const deadlineMessages = (timeoutSeconds: number): readonly string[] =>
  timeoutSeconds < clientSeconds
    ? ['context deadline exceeded']
    : [
        'context deadline exceeded',
        'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        'net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
      ];

/** How a call can end; several ends if there is a race. */
type Ends = readonly CallEnd[];

const late = (callout: AdmissionCallout, version: string | undefined): Ends =>
  deadlineMessages(callout.timeoutSeconds).map((words) => ({
    outcome: 'call-failure',
    text: callSentence(callout, words, version),
    code: unavailableCode(version),
  }));

const messagesOf = (ends: Ends, callout: AdmissionCallout): readonly string[] =>
  ends.flatMap((end) => consequenceOf(end, callout).answer?.message ?? []);

/** A request while its webhooks are called. */
interface Run {
  readonly behave: (callout: AdmissionCallout, round: 0 | 1) => BackendBehaviour;
  readonly limits: RequestLimits;
  /** Seconds for the whole request; infinite if it has no limit. */
  readonly bound: number;
  readonly version: string | undefined;
  readonly calls: TimedCall[];
}

/**
 * Predicts when the webhooks of a request are called and when it ends: mutating webhooks one after the other
 * until one refuses it, a second round for those that are called again, then the validating ones in parallel.
 * The client gets the error of the validating webhook that failed first, after all have responded.
 *
 * @param behave what the backend of a webhook does in a round.
 * @param version the API server's.
 */
export function timelineOf(
  callouts: readonly AdmissionCallout[],
  behave: (callout: AdmissionCallout, round: 0 | 1) => BackendBehaviour,
  limits: RequestLimits,
  version?: string,
): Timeline {
  const bound = requestBound(limits) ?? Number.POSITIVE_INFINITY;
  const run: Run = { behave, limits, bound, version, calls: [] };
  const { mutating, validating } = webhookChain(callouts);
  return callMutating(run, mutating) ?? callValidating(run, validating);
}

/** Records one call. Returns how it can end; undefined if the request ends before the call. */
function call(run: Run, callout: AdmissionCallout, round: 0 | 1, startsAt: number): Ends | undefined {
  const left = run.bound - startsAt;
  const own = Math.min(callout.timeoutSeconds, clientSeconds);
  const behaviour = run.behave(callout, round);
  const respondsAfter = behaviour === 'hangs' ? Number.POSITIVE_INFINITY : behaviour.afterSeconds;
  const responds = behaviour !== 'hangs' && respondsAfter < Math.min(own, left);
  const seconds = Math.min(own, left, respondsAfter);
  const urlSeconds = Math.ceil(Math.min(callout.timeoutSeconds, left));
  const notInTime = left <= own ? undefined : late(callout, run.version);
  const ends = responds ? [behaviour.end] : notInTime;
  const [end] = ends ?? [];
  run.calls.push({
    callout,
    round,
    endsAt: startsAt + seconds,
    urlTimeout: `${urlSeconds}s`,
    ...(end === undefined ? {} : { end }),
  });
  return ends;
}

const outOfBound = ({ calls, bound, limits }: Run): Timeline => ({
  calls,
  seconds: bound,
  end: 'timed-out',
  ...timedOut(limits),
});

const lastEnd = ({ calls }: Run): number => calls.at(-1)?.endsAt ?? 0;

/** Both rounds of the mutating webhooks; the timeline, if the request ends in one. */
function callMutating(run: Run, mutating: readonly AdmissionCallout[]): Timeline | undefined {
  const changed = [new Set<AdmissionCallout>(), new Set<AdmissionCallout>()] as const;
  const playRound = (due: Iterable<AdmissionCallout>, round: 0 | 1): Timeline | undefined => {
    for (const callout of due) {
      const ends = call(run, callout, round, lastEnd(run));
      if (ends === undefined) return outOfBound(run);
      if (ends.some((end) => end.outcome === 'allowed' && end.changed)) changed[round].add(callout);
      const messages = messagesOf(ends, callout);
      if (messages.length > 0)
        return { calls: run.calls, seconds: lastEnd(run), end: 'stopped', messages, mayHangUp: false };
    }
    return undefined;
  };
  const again = calledAgain(
    mutating,
    (callout) => changed[0].has(callout),
    (callout) => changed[1].has(callout),
  );
  return playRound(mutating, 0) ?? playRound(again, 1);
}

function callValidating(run: Run, validating: readonly AdmissionCallout[]): Timeline {
  const { calls } = run;
  const start = lastEnd(run);
  const called = validating.map((callout) => {
    const ends = call(run, callout, 0, start);
    return { callout, ends, at: calls.at(-1)?.endsAt ?? start };
  });
  const seconds = calls.reduce((latest, { endsAt }) => Math.max(latest, endsAt), start);
  const failures: { readonly messages: readonly string[]; readonly at: number }[] = [];
  for (const { callout, ends, at } of called) {
    if (ends === undefined) return outOfBound(run);
    const messages = messagesOf(ends, callout);
    if (messages.length > 0) failures.push({ messages, at });
  }
  const first = Math.min(...failures.map(({ at }) => at));
  const messages = failures.filter(({ at }) => at === first).flatMap((failure) => failure.messages);
  return { calls, seconds, end: messages.length > 0 ? 'stopped' : 'admitted', messages, mayHangUp: false };
}
