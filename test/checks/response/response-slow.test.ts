import { responseSlow } from '../../../src/checks/response/response-slow.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { after, allows, blind, dryRun, quiet, refused, timedOut, tried } from '../probed.ts';

/** A server that responds to the second call, after a Retry-After. */
const repeating = {
  ...allows,
  dialogues: (allows.dialogues ?? []).map((connection) => ({
    ...connection,
    reviews: connection.reviews.map((review) => ({
      ...review,
      milliseconds: 2010,
      repeatedAfter: { status: 429, seconds: 2 },
    })),
  })),
};

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
      facts: tried([after(200), repeating]),
      expect: { messageId: 'repeated', data: { replicas: 'Pod policy-2', status: 'HTTP 429', seconds: 2 } },
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
    { name: 'nothing responds', facts: tried([refused]), outcome: 'pass' },
  ],
  isUnknown: blind,
});
