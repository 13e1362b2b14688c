import { responseSlow } from '../../../src/checks/response/response-slow.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import {
  after,
  allows,
  blind,
  dryRun,
  quiet,
  refused,
  replica,
  timedOut,
  tried,
  unready,
} from '../probed.ts';

/** A server that responds after this many times of a Retry-After of so many seconds. */
const repeating = (seconds: number, times = 1, own = 10) => ({
  ...allows,
  dialogues: (allows.dialogues ?? []).map((connection) => ({
    ...connection,
    reviews: connection.reviews.map((review) => ({
      ...review,
      milliseconds: seconds * times * 1000 + own,
      repeatedAfter: { status: 429, seconds, waited: seconds * times },
    })),
  })),
});

const throttled =
  'I1231 23:58:00.000000       1 request.go:752] "Waited before sending request" delay="8.19s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://203.0.113.1:443/api/v1/namespaces/shop/configmaps/policy"';
/** All responses are late, and the log has this line. */
const lateAndLogged = (line: string) => ({
  ...tried([after(10_500)], { pods: [replica(1, { spec: { containers: [{ name: 'webhook' }] } })] }),
  logs: complete([['shop/policy-1/webhook', line]]),
});

describeCheck(responseSlow, {
  reports: [
    {
      name: 'one replica of two that takes more than half of the time',
      facts: tried([after(200), after(6040)]),
      expect: {
        messageId: 'some',
        confidence: 'observed',
        data: { replicas: 'Pod policy-2', slowest: '6.0 s', fastest: '0.2 s', timeout: 10, bad: 1, total: 2 },
      },
    },
    {
      name: 'all replicas',
      facts: tried([after(6000), after(8400)]),
      expect: {
        messageId: 'slow',
        data: { replicas: 'both Pods', slowest: '8.4 s', fastest: '6.0 s', timeout: 10, bad: 2, total: 2 },
      },
    },
    {
      name: 'one replica of two that limits the rate of requests',
      facts: tried([after(200), repeating(2)]),
      expect: { messageId: 'repeated', data: { replicas: 'Pod policy-2', status: 'HTTP 429', seconds: 2 } },
    },
    {
      name: 'one that limits the rate of requests, with a wait of more than half of the timeout',
      facts: tried([after(200), repeating(6)]),
      expect: { messageId: 'repeated', data: { replicas: 'Pod policy-2', status: 'HTTP 429', seconds: 6 } },
    },
    {
      name: 'one that limits the rate of requests several times',
      facts: tried([after(200), repeating(2, 3)]),
      expect: { messageId: 'repeated', data: { replicas: 'Pod policy-2', status: 'HTTP 429', seconds: 2 } },
    },
    {
      name: 'all replicas limit the rate of requests, and the call of the API server ran out of time',
      facts: tried([repeating(6), repeating(6)], { dryRun: dryRun(timedOut) }),
      expect: {
        messageId: 'repeatedLate',
        confidence: 'observed',
        data: { replicas: 'both Pods', status: 'HTTP 429', seconds: 6, timeout: 10 },
      },
    },
    {
      name: 'one that limits the rate of requests, and is slow without that',
      facts: tried([after(200), repeating(2, 1, 5500)]),
      expect: { messageId: 'some', confidence: 'observed' },
    },
    {
      name: 'all replicas, and the call of the API server ran out of time',
      facts: tried([after(6000), after(8400)], { dryRun: dryRun(timedOut) }),
      expect: { messageId: 'late', confidence: 'observed' },
    },
    {
      name: 'all replicas respond after the timeout',
      facts: tried([after(10_500), after(12_000)]),
      expect: { messageId: 'all', confidence: 'observed' },
    },
    {
      name: 'all replicas respond after the timeout, and the client of their program is throttled',
      facts: lateAndLogged(throttled),
      expect: { messageId: 'throttled', confidence: 'derived', evidence: throttled },
    },
    ...[
      throttled.replace('I1231 23:58', 'I1231 23:40'),
      throttled.replace('I1231', 'I0720'),
      throttled.replace('8.19s', '10.19s').replace('namespaces/shop/configmaps/policy', 'v1?timeout=32s'),
    ].map((line) => ({
      name: `all replicas respond after the timeout, and the client was throttled for another reason: ${line}`,
      facts: lateAndLogged(line),
      expect: { messageId: 'all' as const },
    })),
    {
      name: 'all replicas respond after the timeout, and the discovery of the client is throttled',
      facts: lateAndLogged(
        'I1231 23:58:00.000000       7 request.go:752] Waited for 1.19s due to client-side throttling, not priority and fairness, request: GET:https://203.0.113.1:443/apis/apps/v1?timeout=32s',
      ),
      expect: { messageId: 'all' },
    },
    {
      name: 'a replica that gets no calls yet responds after the timeout, as no other does',
      facts: tried([after(10_500)], { pods: [replica(1, unready)] }),
      expect: { messageId: 'behind', data: { replicas: 'Pod policy-1', timeout: 10 } },
    },
    {
      name: 'one replica of two responds after the timeout',
      facts: tried([after(200), after(10_500)]),
      expect: { messageId: 'part', confidence: 'observed' },
    },
    {
      name: 'one of two, which is not why the call of the API server ran out of time',
      facts: tried([after(200), after(6040)], { dryRun: dryRun(timedOut) }),
      expect: { messageId: 'some', confidence: 'observed' },
    },
  ],
  reportsNothing: [
    ...quiet,
    { name: 'it takes half of the time', facts: tried([after(5000)]), outcome: 'pass' },
    {
      name: 'a short wait, after which the API server repeats the call',
      facts: tried([after(200), repeating(1)]),
      outcome: 'pass',
    },
    { name: 'nothing responds', facts: tried([refused]), outcome: 'pass' },
    {
      name: 'a late replica gets no calls, and another one responds',
      facts: tried([allows, after(10_500)], { pods: [replica(1), replica(2, unready)] }),
      outcome: 'pass',
    },
  ],
  isUnknown: blind,
});
