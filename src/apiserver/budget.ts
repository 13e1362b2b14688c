import type { AdmissionCallout } from '../facts/callout.ts';
import { calledAgain, chainOf } from './order.ts';

/**
 * Seconds that all admission of one write may take together: create, update, patch and delete of one object
 * (apiserver/pkg/endpoints/handlers/rest.go requestTimeoutUpperBound). What is not through by then ends in a 504.
 */
export const writeSeconds = 34;

/** Seconds of the HTTP client that makes the call, whatever timeoutSeconds says (util/webhook/authentication.go). */
export const clientSeconds = 30;

/** `--request-timeout` unless told; the only bound of a deletion of a collection. */
const requestSeconds = 60;

/** What bounds a request as a whole. */
export interface RequestLimits {
  /** The client's `?timeout=`, in seconds; 0 or none: it sets no bound. */
  readonly clientTimeout?: number;
  /** `--request-timeout` of the API server, in seconds. */
  readonly serverTimeout?: number;
  /** `collection`: no 34 s. `long-running` (exec, attach, portforward, proxy): no bound at all. */
  readonly request?: 'write' | 'collection' | 'long-running';
}

/** Seconds after which the API server gives a request up; undefined for one that runs as long as it likes. */
export function requestBound(limits: RequestLimits = {}): number | undefined {
  const { clientTimeout = 0, serverTimeout = requestSeconds, request = 'write' } = limits;
  if (request === 'long-running') return undefined;
  const asked = clientTimeout > 0 && clientTimeout < serverTimeout ? clientTimeout : serverTimeout;
  return request === 'collection' ? asked : Math.min(asked, writeSeconds);
}

/** One call in a request where everything takes as long as it may. Seconds since the request came in. */
export interface BudgetedCall {
  readonly callout: AdmissionCallout;
  /** 1: called a second time, because reinvocationPolicy is IfNeeded and the object may have changed since. */
  readonly round: 0 | 1;
  readonly startsAt: number;
  /** Seconds that this call may take: its timeoutSeconds, or less where the request has no more left. */
  readonly budgetSeconds: number;
  /** True where the request's own bound leaves the call less than its timeoutSeconds. */
  readonly cutShort: boolean;
}

export interface WorstCase {
  /** Seconds that the request can take until it is answered. */
  readonly seconds: number;
  /** What all calls would take if the request had no bound. */
  readonly unboundedSeconds: number;
  /** In call order. Calls for which no time is left at all are not here. */
  readonly calls: readonly BudgetedCall[];
  /** Webhooks that would not be called any more. */
  readonly notReached: readonly AdmissionCallout[];
  /** True where the bound strikes before the last answer: the client gets a 504 that names no webhook. */
  readonly endsWith504: boolean;
}

/** Seconds that one call may take by itself. */
export const callSeconds = ({ timeoutSeconds }: AdmissionCallout): number =>
  Math.min(timeoutSeconds, clientSeconds);

/**
 * How long a request can take that is sent to all these webhooks, when each of them answers at the last moment (or, with
 * failurePolicy Ignore, never), and each mutating one changes the object each time: these run one after the other, those with
 * reinvocationPolicy IfNeeded once more, the validating ones at the same time (mutating/dispatcher.go,
 * validating/dispatcher.go).
 */
export function worstCase(callouts: readonly AdmissionCallout[], limits: RequestLimits = {}): WorstCase {
  const bound = requestBound(limits) ?? Number.POSITIVE_INFINITY;
  const { mutating, validating } = chainOf(callouts);
  const calls: BudgetedCall[] = [];
  const reached = new Set<AdmissionCallout>();
  let now = 0;
  const call = (callout: AdmissionCallout, round: 0 | 1, startsAt: number): number => {
    const seconds = callSeconds(callout);
    const budgetSeconds = Math.min(seconds, bound - startsAt);
    if (budgetSeconds > 0) {
      calls.push({ callout, round, startsAt, budgetSeconds, cutShort: budgetSeconds < seconds });
      reached.add(callout);
    }
    return startsAt + seconds;
  };
  for (const callout of mutating) now = call(callout, 0, now);
  const always = () => true;
  for (const callout of calledAgain(mutating, always, always)) now = call(callout, 1, now);
  const unboundedSeconds = validating.reduce((end, callout) => Math.max(end, call(callout, 0, now)), now);
  return {
    seconds: Math.min(unboundedSeconds, bound),
    unboundedSeconds,
    calls,
    notReached: callouts.filter((callout) => !reached.has(callout)),
    endsWith504: unboundedSeconds > bound,
  };
}
