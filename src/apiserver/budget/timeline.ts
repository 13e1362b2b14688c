import type { AdmissionCallout } from '../../facts/callout.ts';
import { type CallEnd, consequenceOf, unavailableCode } from '../admission/failure-policy.ts';
import { calledAgain, webhookChain } from '../admission/order.ts';
import { callSentence } from '../sentences/call-sentence.ts';
import { clientSeconds, type RequestLimits, requestBound } from './budget.ts';

/** What a backend does when it is called: it never answers, or after so many seconds. */
export type BackendBehaviour = 'hangs' | { readonly afterSeconds: number; readonly end: CallEnd };

/** One call, seconds since the request came in. */
export interface TimedCall {
  readonly callout: AdmissionCallout;
  readonly round: 0 | 1;
  readonly startsAt: number;
  readonly endsAt: number;
  /** `?timeout=` of the URL: what is left, in whole seconds rounded up. */
  readonly urlTimeout: string;
  /** Absent where the request was over before the call was. */
  readonly end?: CallEnd;
}

/** How a request goes. `messages`: what the client may be told; more than one where it is a race. */
export interface Timeline {
  readonly calls: readonly TimedCall[];
  readonly seconds: number;
  readonly end: 'admitted' | 'stopped' | 'timed-out';
  readonly messages: readonly string[];
  /** True where the race may also end in a connection that is closed without an answer. */
  readonly mayHangUp: boolean;
}

/** The words of a request whose own time is over. */
export const outOfTime =
  'Timeout: request did not complete within requested timeout - context deadline exceeded';
const allotted = 'Timeout: request did not complete within the allotted timeout';

/**
 * The 504 of a request that took too long; it names no webhook. The 34 s of a write have one text. When the request's
 * own deadline strikes, two parts of the API server race to say so, and if the inner one wins the connection is closed
 * (endpoints/handlers/finisher, server/filters/timeout.go).
 */
export function timedOut(limits: RequestLimits): Pick<Timeline, 'messages' | 'mayHangUp'> {
  const bound = requestBound(limits);
  const outer = requestBound({ ...limits, request: 'collection' });
  return bound === outer
    ? { messages: [allotted, outOfTime], mayHangUp: true }
    : { messages: [outOfTime], mayHangUp: false };
}

/**
 * What Go says when a call's time is up. At 30 s the deadline of the webhook and that of the HTTP client race
 * (net/http setRequestCancel).
 */
const deadlineWords = (timeoutSeconds: number): readonly string[] =>
  timeoutSeconds < clientSeconds
    ? ['context deadline exceeded']
    : [
        'context deadline exceeded',
        'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
        'net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
      ];

/** How a call ended; several ends where it is a race. */
type Ends = readonly CallEnd[];

const late = (callout: AdmissionCallout, version: string | undefined): Ends =>
  deadlineWords(callout.timeoutSeconds).map((words) => ({
    outcome: 'call-failure',
    text: callSentence(callout, words, version),
    code: unavailableCode(version),
  }));

const messagesOf = (ends: Ends, callout: AdmissionCallout): readonly string[] =>
  ends.flatMap((end) => consequenceOf(end, callout, { round: 0, index: 0 }, 'CREATE').answer?.message ?? []);

/**
 * Plays a request through the webhooks that it is sent to: mutating ones one after the other until one stops it, once
 * more those that are due, then the validating ones at the same time, of which the first to fail is the one that the
 * client hears of, when all are through.
 *
 * @param behave what a webhook's backend does in a round.
 * @param version the API server's.
 */
export function timelineOf(
  callouts: readonly AdmissionCallout[],
  behave: (callout: AdmissionCallout, round: 0 | 1) => BackendBehaviour,
  limits: RequestLimits = {},
  version?: string,
): Timeline {
  const bound = requestBound(limits) ?? Number.POSITIVE_INFINITY;
  const { mutating, validating } = webhookChain(callouts);
  const calls: TimedCall[] = [];
  const outOfTime = (): Timeline => ({ calls, seconds: bound, end: 'timed-out', ...timedOut(limits) });

  /** undefined: the request is over before the call is. */
  const call = (callout: AdmissionCallout, round: 0 | 1, startsAt: number): Ends | undefined => {
    const left = bound - startsAt;
    const own = Math.min(callout.timeoutSeconds, clientSeconds);
    const behaviour = behave(callout, round);
    const answersAfter = behaviour === 'hangs' ? Number.POSITIVE_INFINITY : behaviour.afterSeconds;
    const answers = behaviour !== 'hangs' && answersAfter < Math.min(own, left);
    const seconds = Math.min(own, left, answersAfter);
    const urlSeconds = Math.ceil(Math.min(callout.timeoutSeconds, left));
    const ends = answers ? [behaviour.end] : left <= own ? undefined : late(callout, version);
    const [end] = ends ?? [];
    calls.push({
      callout,
      round,
      startsAt,
      endsAt: startsAt + seconds,
      urlTimeout: `${urlSeconds}s`,
      ...(end === undefined ? {} : { end }),
    });
    return ends;
  };
  const now = (): number => calls.at(-1)?.endsAt ?? 0;

  const changed = [new Set<AdmissionCallout>(), new Set<AdmissionCallout>()] as const;
  /** A whole round; what ends the request, if anything does. */
  const play = (due: Iterable<AdmissionCallout>, round: 0 | 1): Timeline | undefined => {
    for (const callout of due) {
      const ends = call(callout, round, now());
      if (ends === undefined) return outOfTime();
      if (ends.some((end) => end.outcome === 'allowed' && end.changed)) changed[round].add(callout);
      const messages = messagesOf(ends, callout);
      if (messages.length > 0) {
        return { calls, seconds: now(), end: 'stopped', messages, mayHangUp: false };
      }
    }
    return undefined;
  };
  const again = calledAgain(
    mutating,
    (callout) => changed[0].has(callout),
    (callout) => changed[1].has(callout),
  );
  const stopped = play(mutating, 0) ?? play(again, 1);
  if (stopped !== undefined) return stopped;

  const start = now();
  const ended = validating.map((callout) => {
    const ends = call(callout, 0, start);
    return { callout, ends, at: calls.at(-1)?.endsAt ?? start };
  });
  const last = calls.reduce((latest, { endsAt }) => Math.max(latest, endsAt), start);
  const failures: { readonly messages: readonly string[]; readonly at: number }[] = [];
  for (const { callout, ends, at } of ended) {
    if (ends === undefined) return outOfTime();
    const messages = messagesOf(ends, callout);
    if (messages.length > 0) failures.push({ messages, at });
  }
  const first = Math.min(...failures.map(({ at }) => at));
  const messages = failures.filter(({ at }) => at === first).flatMap((failure) => failure.messages);
  const end = messages.length > 0 ? 'stopped' : 'admitted';
  return { calls, seconds: last, end, messages, mayHangUp: false };
}
