import { rejectionsCounted } from '../../../src/checks/effect/rejections-counted.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counting, counts, metrics, metricsOf } from './counts.ts';

const since = 'since 2025-12-31T23:00:00Z';
const second = { server: 'https://192.0.2.11:6443', since: '2025-12-31T23:30:00.500Z' };
const lost = [{ server: 'https://192.0.2.12:6443', detail: '192.0.2.12:6443 does not answer in time' }];
const refused = (times: number) => [counts({ refused: { 503: times } })];
/** So many of 1000 calls took longer than 10 s, and were refused, or so many of them. */
const slowest = (late: number, refused = late, seconds = 10) =>
  counts({
    seconds,
    refused: { 500: refused },
    buckets: [
      { seconds: 2.5, calls: 1000 - late },
      { seconds: 10, calls: 1000 - late },
      { seconds: 25, calls: 1000 },
    ],
  });
const common = { since, webhook: 'policy.example.com' };

describeCheck(rejectionsCounted, {
  reports: [
    {
      name: 'one request',
      facts: healthy({ metrics: metrics(refused(1)) }),
      expect: { messageId: 'counted', data: { ...common, requests: '1 request was', codes: '503 (1)' } },
    },
    {
      name: 'requests that were refused, by code',
      facts: healthy({ metrics: metrics([counts({ refused: { 500: 1, 503: 12 } })]) }),
      expect: {
        messageId: 'counted',
        data: { ...common, requests: '13 requests were', codes: '503 (12), 500 (1)' },
        confidence: 'observed',
      },
    },
    {
      name: 'how many of them may be of dry runs that ended in such a code',
      facts: healthy({ metrics: metrics(refused(4), undefined, { dryRuns: { 201: 90, 503: 1 } }) }),
      expect: {
        messageId: 'counted',
        data: {
          ...common,
          requests: '4 requests were',
          codes: '503 (4) (at most 1 of them in dry runs)',
        },
      },
    },
    {
      name: 'answers that are of no use',
      facts: healthy({ metrics: metrics([counts({ unusable: 2 })]) }),
      expect: {
        messageId: 'counted',
        data: { ...common, requests: '2 requests were', codes: 'unusable response (2)' },
      },
    },
    {
      name: 'refusals at the moment',
      facts: healthy({
        metrics: metrics([counts({ refused: { 503: 12 } })], [counts({ refused: { 503: 2 } })]),
      }),
      expect: {
        messageId: 'goingOn',
        data: { ...common, count: 12, codes: '503 (12)', recent: 10, span: '30 s' },
      },
    },
    {
      name: 'refusals of the few calls that exceed the timeout',
      facts: healthy({
        callouts: [webhook({ timeoutSeconds: 10 })],
        metrics: metrics([slowest(12)], [slowest(2)]),
      }),
      expect: {
        messageId: 'late',
        data: {
          ...common,
          count: 12,
          codes: '500 (12)',
          recent: 10,
          span: '30 s',
          timeout: 10,
          average: 10,
        },
      },
    },
    {
      name: 'refusals of calls that do not exceed the timeout, as far as the histogram shows',
      facts: healthy({
        callouts: [webhook({ timeoutSeconds: 8 })],
        metrics: metrics([slowest(12)], [slowest(2)]),
      }),
      expect: { messageId: 'goingOn' },
    },
    {
      name: 'refusals most of which came sooner than the timeout',
      facts: healthy({
        callouts: [webhook({ timeoutSeconds: 10 })],
        metrics: metrics([{ ...slowest(12), refused: { 500: 30 } }], [slowest(2)]),
      }),
      expect: { messageId: 'goingOn' },
    },
    {
      name: 'refusals of all calls after the timeout: the average is not short',
      facts: healthy({
        callouts: [webhook({ timeoutSeconds: 10 })],
        metrics: metrics([slowest(12, 12, 10_001)], [slowest(2, 2, 10_001)]),
      }),
      expect: { messageId: 'goingOn' },
    },
    {
      name: 'refusals at once, after timeouts in the past, which failed open',
      facts: healthy({
        callouts: [webhook({ timeoutSeconds: 10 })],
        metrics: metrics([slowest(50, 12)], [slowest(50, 2)]),
      }),
      expect: { messageId: 'goingOn' },
    },
    {
      name: 'that it is over',
      facts: healthy({
        metrics: metrics([counts({ refused: { 503: 2 } })], [counts({ refused: { 503: 2 } })]),
      }),
      expect: {
        messageId: 'over',
        data: { ...common, requests: '2 requests were', codes: '503 (2)', span: '30 s' },
      },
    },
    {
      name: 'what two API servers refused, together',
      facts: healthy({
        metrics: metricsOf([counting(refused(3)), counting(refused(4), undefined, second)]),
      }),
      expect: {
        messageId: 'counted',
        data: {
          ...common,
          since: `${since} (2 API servers, the last one since 2025-12-31T23:30:00Z)`,
          requests: '7 requests were',
          codes: '503 (7)',
        },
      },
    },
    {
      name: 'what one of two refused, where the other one has never called it',
      facts: healthy({ metrics: metricsOf([counting([]), counting(refused(4), undefined, second)]) }),
      expect: {
        messageId: 'counted',
        data: {
          ...common,
          since: `${since} (2 API servers, the last one since 2025-12-31T23:30:00Z)`,
          requests: '4 requests were',
          codes: '503 (4)',
        },
      },
    },
    {
      name: 'of how many API servers it is, where one could not be read',
      facts: healthy({ metrics: metricsOf([counting(refused(3))], lost) }),
      expect: {
        messageId: 'counted',
        data: {
          ...common,
          since: `${since} (1 of 2 API servers)`,
          requests: '3 requests were',
          codes: '503 (3)',
        },
      },
    },
    {
      name: 'refusals at the moment at one of two',
      facts: healthy({
        metrics: metricsOf([counting(refused(3), refused(3)), counting(refused(9), refused(4), second)]),
      }),
      expect: {
        messageId: 'goingOn',
        data: {
          ...common,
          since: `${since} (2 API servers, the last one since 2025-12-31T23:30:00Z)`,
          count: 12,
          codes: '503 (12)',
          recent: 5,
          span: '30 s',
        },
      },
    },
    {
      name: 'no end of it where one of two was read but once',
      facts: healthy({
        metrics: metricsOf([counting(refused(3), refused(3)), counting(refused(9), undefined, second)]),
      }),
      expect: { messageId: 'counted' },
    },
  ],
  reportsNothing: [
    {
      name: 'it denies, as a webhook should',
      facts: healthy({ metrics: metrics([counts({ denied: 400 })]) }),
      outcome: 'pass',
    },
    { name: 'nothing was refused', facts: healthy({ metrics: metrics([counts()]) }), outcome: 'pass' },
    { name: 'it was never called', facts: healthy({ metrics: metrics([]) }), outcome: 'pass' },
    { name: 'counters were not requested', facts: healthy(), outcome: 'not-applicable' },
  ],
  isUnknown: [
    {
      name: 'nothing was refused at the API servers that could be read, and there is another one',
      facts: healthy({ metrics: metricsOf([counting([counts()])], lost) }),
    },
    { name: 'metrics are forbidden', facts: healthy({ metrics: forbidden('metrics') }) },
  ],
});
