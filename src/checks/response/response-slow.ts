import { reportBehind } from '../../apiserver/connection/failing-servers.ts';
import { ownEndOf } from '../../apiserver/connection/own-call-result.ts';
import { type ProbeFacts, probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
import {
  namesText,
  probedEndpointEvidence,
  serverNames,
} from '../../apiserver/connection/probed-endpoints.ts';
import {
  lateServers,
  type ResponseTime,
  responseTimes,
  secondsText,
  slowAmong,
} from '../../apiserver/connection/response-times.ts';
import type { Callout } from '../../facts/callout.ts';
import type { Evidence } from '../../facts/evidence.ts';
import { knownPods } from '../../facts/workloads/replicas.ts';
import {
  behind,
  type CheckStep,
  defineCheck,
  fatal,
  firstReported,
  type Messages,
  partial,
} from '../check.ts';
import { raiseClientLimits, throttledLine } from './client-limits.ts';

/** A part of the timeout: a wait as long is worth a warning. */
const noticeable = 1 / 5;

/** The servers that first returned a Retry-After, with the response for which the API server waits longest. */
const repeatedAmong = (times: readonly ResponseTime[]) =>
  times.flatMap(({ endpoint, milliseconds }) => {
    const reviews = endpoint.probe?.dialogues.flatMap((connection) => connection.reviews) ?? [];
    const [longest] = reviews
      .flatMap(({ repeatedAfter }) =>
        repeatedAfter === undefined
          ? []
          : { ...repeatedAfter, waited: repeatedAfter.waited ?? repeatedAfter.seconds },
      )
      .toSorted((a, b) => b.waited - a.waited);
    return longest === undefined ? [] : { endpoint, milliseconds, ...longest };
  });

/** The servers whose responses are late or noticeably delayed only because of a Retry-After. */
function delayedByRetries(times: readonly ResponseTime[], timeoutSeconds: number) {
  const repeated = repeatedAmong(times);
  const waits = new Map(repeated.map(({ endpoint, waited }) => [endpoint, waited * 1000]));
  const own = times.map(({ endpoint, milliseconds }) => ({
    endpoint,
    milliseconds: milliseconds - (waits.get(endpoint) ?? 0),
  }));
  if (slowAmong(own, timeoutSeconds).length > 0) return [];
  const slow = new Set(slowAmong(times, timeoutSeconds).map(({ endpoint }) => endpoint));
  return repeated.filter(
    ({ endpoint, waited }) => slow.has(endpoint) || waited >= timeoutSeconds * noticeable,
  );
}

const replicasText = (
  those: readonly Pick<ResponseTime, 'endpoint'>[],
  callout: Callout,
  facts: ProbeFacts,
): string =>
  namesText(
    those.map(({ endpoint }) => endpoint),
    serverNames(callout, facts),
  );

const timeEvidence = (callout: Callout, times: readonly ResponseTime[]): readonly Evidence[] =>
  times.map(({ endpoint, milliseconds }) =>
    probedEndpointEvidence(callout, endpoint, `responded in ${secondsText(milliseconds)}`),
  );

const raiseRateLimit =
  '[look] Find out whether the program or a proxy before it limits the rate of requests, and raise the limit for the API server: `kubectl -n {namespace} logs {backend}`. [end] If the program is overloaded, add replicas.';

const notLonger = '[with] Do not raise timeoutSeconds as a permanent fix: every request then waits longer.';

const advice = `[look] Compare the CPU usage of the Pods with their limit, which throttles them: \`kubectl -n {metered} top pod\`. [look] Check for slow requests that the webhook makes itself: \`kubectl -n {namespace} logs {backend}\`. ${notLonger}`;

const messages = {
  all: fatal('{replicas} responded after {slowest}, later than the {timeout} s timeout'),
  throttled: fatal(
    '{replicas} responded after {slowest}, later than the {timeout} s timeout; its program limits its own requests to the API server',
    `${raiseClientLimits} ${advice}`,
  ),
  part: partial(
    '{replicas} ({bad} of {total} replicas) responded after {slowest}, later than the {timeout} s timeout',
  ),
  slow: '{replicas} took {slowest} of the {timeout} s timeout to respond',
  some: '{replicas} ({bad} of {total} replicas) took {slowest} of the {timeout} s timeout to respond; the fastest took {fastest}',
  behind: behind('{replicas} responded only after the timeout of {timeout} s'),
  repeated: {
    text: '{replicas} first returned {status} with Retry-After {seconds}, then a response: the API server waits as long, and repeats the call',
    advice: raiseRateLimit,
  },
  repeatedLate: fatal(
    'A call by the API server timed out; {replicas} first returned {status} with Retry-After {seconds}, of the {timeout} s timeout',
    raiseRateLimit,
  ),
  late: fatal(
    'A call by the API server timed out; {replicas} took {slowest} of the {timeout} s timeout to respond',
  ),
} as const satisfies Messages;

const requires = [...probeFacts, 'logs'] as const;
type OwnStep = CheckStep<Callout, typeof requires, typeof messages, typeof advice>;

/** Responses after the timeout. */
const late: OwnStep = (callout, facts, find) => {
  const found = lateServers(callout, facts);
  const timeout = callout.timeoutSeconds;
  if (found === undefined) return undefined;
  const data = { ...found.data, timeout };
  if (found.extent !== 'all') return find('part', data, found.evidence);
  const line = throttledLine(knownPods(callout, facts), facts);
  return line === undefined
    ? find('all', data, found.evidence)
    : find('throttled', data, [...found.evidence, line], 'derived');
};

/** True if all responses are slow, and a call of the API server timed out. */
function isTimedOut(callout: Callout, facts: ProbeFacts, timed: readonly ResponseTime[]): boolean {
  const end = ownEndOf(callout, facts);
  const isSlow = slowAmong(timed, callout.timeoutSeconds).length === timed.length;
  return isSlow && end?.outcome === 'fails' && end.kind === 'deadline';
}

/** Responses that are late because the server first asks to repeat the call. */
const repeated: OwnStep = (callout, facts, find) => {
  const { timeoutSeconds: timeout } = callout;
  const timed = responseTimes(callout, facts);
  const delayed = delayedByRetries(timed, timeout);
  const [first] = delayed;
  if (first === undefined) return undefined;
  const { status, seconds } = first;
  const replicas = replicasText(delayed, callout, facts);
  const data = { replicas, status: `HTTP ${status}`, seconds, timeout };
  const messageId = isTimedOut(callout, facts, timed) ? 'repeatedLate' : 'repeated';
  return find(messageId, data, timeEvidence(callout, delayed));
};

/** Responses that would be late if the calls did not fail before. */
const behindOthers: OwnStep = (callout, facts, find) => {
  const { timeoutSeconds: timeout } = callout;
  return slowAmong(responseTimes(callout, facts), timeout).length > 0
    ? undefined
    : reportBehind('late', callout, facts, (_id, { replicas }, evidence) =>
        find('behind', { replicas, timeout }, evidence),
      );
};

/** Responses that take most of the timeout. */
const slow: OwnStep = (callout, facts, find) => {
  const { timeoutSeconds: timeout } = callout;
  const timed = responseTimes(callout, facts);
  const bad = slowAmong(timed, timeout);
  if (bad.length === 0) return undefined;
  const all = timed.map(({ milliseconds }) => milliseconds);
  const data = {
    replicas: replicasText(bad, callout, facts),
    slowest: secondsText(Math.max(...all)),
    fastest: secondsText(Math.min(...all)),
    timeout,
    bad: bad.length,
    total: timed.length,
  };
  const ofAll = isTimedOut(callout, facts, timed) ? 'late' : 'slow';
  return find(bad.length < timed.length ? 'some' : ofAll, data, timeEvidence(callout, timed));
};

export const responseSlow = defineCheck({
  meta: {
    id: 'response-slow',
    title: 'Response is slow',
    severity: 'warning',
    confidence: 'observed',
    textAdvice: {
      'client-throttled': raiseClientLimits,
      'handler-took-long': `[look] Compare the CPU usage of the Pods with their limit, which throttles them: \`kubectl -n {namespace} top pod\`. [look] Read in the log for which server the handler waits: \`kubectl -n {namespace} logs {workload}\`. ${notLonger}`,
      'timeout-504': `[look] Find the slow webhook: \`kubectl webhook doctor\`. [look] Then compare the CPU usage of its Pods with their limit, which throttles them: \`kubectl -n {namespace} top pod\`. ${notLonger}`,
    },
    why: 'A single review, without other load, took more than half of timeoutSeconds, or had to be repeated. Under load it takes longer, and then the call fails. Every matching request waits as long.',
    advice,
    noRemedy: 'in-the-server',
    messages,
    follows: ['timeout-too-short', 'handler-waits-for-service'],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts'],
  },
  requires,
  subjects: probedCallouts,
  run: firstReported(late, repeated, behindOthers, slow),
});
