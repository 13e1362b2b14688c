import { ownEndOf } from '../../apiserver/connection/own-call-result.ts';
import { probedCallouts, probeFacts } from '../../apiserver/connection/probed-callouts.ts';
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
import { defineCheck, fatal, partial } from '../check.ts';

/** The servers that first returned a Retry-After. */
const repeatedAmong = (times: readonly ResponseTime[]) =>
  times.flatMap(({ endpoint, milliseconds }) => {
    const reviews = endpoint.probe?.dialogues.flatMap((connection) => connection.reviews) ?? [];
    const [first] = reviews.flatMap(({ repeatedAfter }) => repeatedAfter ?? []);
    return first === undefined ? [] : { endpoint, milliseconds, ...first };
  });

export const responseSlow = defineCheck({
  meta: {
    id: 'response-slow',
    title: 'Response is slow',
    severity: 'warning',
    confidence: 'observed',
    explains: {
      'slow-webhook-trace': 1,
      'client-throttled': 1,
      'response-not-received': 1,
      'timeout-504': 3,
      canceled: 1,
      deadline: 4,
      'response-timeout': 1,
      'body-timeout': 1,
      'gateway-timeout': 1,
      'policies-too-slow': 1,
    },
    why: 'A single review, without other load, took more than half of timeoutSeconds, or had to be repeated; under load it takes longer, and then the call fails. Every matching request waits as long.',
    advice:
      'Compare the CPU usage of the Pods with their limit, which throttles them: `kubectl -n {metered} top pod`. Check for slow requests that the webhook makes itself: `kubectl -n {namespace} logs {backend}`. Do not raise timeoutSeconds as a permanent fix: every request then waits longer.',
    noRemedy: 'in-the-server',
    messages: {
      all: fatal('{replicas} responded after {slowest}, later than the {timeout} s timeout'),
      part: partial(
        '{replicas} ({bad} of {total} replicas) responded after {slowest}, later than the {timeout} s timeout',
      ),
      slow: '{replicas} took {slowest} of the {timeout} s timeout to respond',
      some: '{replicas} ({bad} of {total} replicas) took {slowest} of the {timeout} s timeout to respond; the fastest took {fastest}',
      repeated: {
        text: '{replicas} returned {status} with Retry-After {seconds} before a response: the API server waits as long, and repeats the call',
        advice:
          'Find out whether the program or a proxy before it limits the rate of requests, and raise the limit for the API server: `kubectl -n {namespace} logs {backend}`. If it is overloaded, add replicas.',
      },
      late: fatal(
        'A call by the API server timed out; {replicas} took {slowest} of the {timeout} s timeout to respond',
      ),
    },
    follows: ['timeout-too-short', 'handler-waits-for-service'],
    references: ['/docs/reference/access-authn-authz/extensible-admission-controllers/#timeouts'],
  },
  requires: probeFacts,
  subjects: probedCallouts,
  run(callout, facts, find) {
    const { timeoutSeconds } = callout;
    const found = lateServers(callout, facts);
    if (found !== undefined)
      return find(
        found.extent === 'all' ? 'all' : 'part',
        { ...found.data, timeout: timeoutSeconds },
        found.evidence,
      );
    const timed = responseTimes(callout, facts);
    const slow = slowAmong(timed, timeoutSeconds);
    if (slow.length === 0) {
      const repeated = repeatedAmong(timed);
      const [first] = repeated;
      if (first === undefined) return undefined;
      const { status, seconds } = first;
      const replicas = namesText(
        repeated.map(({ endpoint }) => endpoint),
        serverNames(callout, facts),
      );
      const evidence = repeated.map(({ endpoint, milliseconds }) =>
        probedEndpointEvidence(callout, endpoint, `responded in ${secondsText(milliseconds)}`),
      );
      return find('repeated', { replicas, status: `HTTP ${status}`, seconds }, evidence);
    }
    const all = timed.map(({ milliseconds }) => milliseconds);
    const data = {
      replicas: namesText(
        slow.map(({ endpoint }) => endpoint),
        serverNames(callout, facts),
      ),
      slowest: secondsText(Math.max(...all)),
      fastest: secondsText(Math.min(...all)),
      timeout: timeoutSeconds,
      bad: slow.length,
      total: timed.length,
    };
    const evidence = timed.map(({ endpoint, milliseconds }) =>
      probedEndpointEvidence(callout, endpoint, `responded in ${secondsText(milliseconds)}`),
    );
    const end = ownEndOf(callout, facts);
    const isLate = slow.length === timed.length && end?.outcome === 'fails' && end.kind === 'deadline';
    if (slow.length < timed.length) return find('some', data, evidence);
    return find(isLate ? 'late' : 'slow', data, evidence);
  },
});
