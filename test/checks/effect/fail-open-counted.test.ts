import { failOpenCounted } from '../../../src/checks/effect/fail-open-counted.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counts, metrics } from './counts.ts';

const since = 'since 2025-12-31T23:00:00Z';
const open = (failedOpen: number) => [counts({ failedOpen })];

describeCheck(failOpenCounted, {
  reports: [
    {
      name: 'calls that failed open',
      facts: healthy({ metrics: metrics(open(12)) }),
      expect: {
        messageId: 'counted',
        data: { times: '12 times', since, webhook: 'policy.example.com' },
        confidence: 'observed',
      },
    },
    {
      name: 'two calls, as at the start of a backend',
      facts: healthy({ metrics: metrics(open(2)) }),
      expect: { messageId: 'few' },
    },
    {
      name: 'calls that fail open at the moment',
      facts: healthy({ metrics: metrics(open(12), open(9)) }),
      expect: {
        messageId: 'goingOn',
        data: { count: 12, since, webhook: 'policy.example.com', requests: '3 requests', span: '30 s' },
      },
    },
    {
      name: 'the first ones between two readings',
      facts: healthy({ metrics: metrics(open(2), []) }),
      expect: {
        messageId: 'goingOn',
        data: { count: 2, since, webhook: 'policy.example.com', requests: '2 requests', span: '30 s' },
      },
    },
    {
      name: 'that it is over',
      facts: healthy({ metrics: metrics(open(12), open(12)) }),
      expect: {
        messageId: 'over',
        data: { times: '12 times', since, webhook: 'policy.example.com', span: '30 s' },
      },
    },
    {
      name: 'how many of them may be of dry runs',
      facts: healthy({ metrics: metrics(open(12), undefined, { dryRuns: { 201: 2, 500: 1 } }) }),
      expect: {
        messageId: 'few',
        data: { times: '12 times (at most 3 of them in dry runs)', since, webhook: 'policy.example.com' },
      },
    },
    {
      name: 'that all of them may be',
      facts: healthy({ metrics: metrics(open(40), undefined, { dryRuns: { 201: 400 } }) }),
      expect: {
        messageId: 'few',
        data: { times: '40 times (possibly all in dry runs)', since, webhook: 'policy.example.com' },
      },
    },
    {
      name: 'no call within the span that a dry run may have made',
      facts: healthy({ metrics: metrics(open(12), open(9), { dryRuns: { 201: 3 } }) }),
      expect: { messageId: 'over' },
    },
    {
      name: 'once, and with both names, what two configurations share',
      facts: healthy({
        callouts: [
          webhook(),
          webhook({
            configuration: 'other',
            ref: {
              kind: 'ValidatingWebhookConfiguration',
              name: 'other',
              webhook: 'policy.example.com',
            },
          }),
        ],
        metrics: metrics(open(11)),
      }),
      expect: {
        messageId: 'counted',
        data: {
          times: '11 times',
          since,
          webhook: 'policy.example.com (policy and other together: the API server counts by name)',
        },
      },
    },
    {
      name: 'that it does not know since when',
      facts: healthy({ metrics: metrics(open(11), undefined, { since: undefined }) }),
      expect: {
        messageId: 'counted',
        data: { times: '11 times', since: 'since it started', webhook: 'policy.example.com' },
      },
    },
  ],
  reportsNothing: [
    { name: 'none did', facts: healthy({ metrics: metrics([counts()]) }), outcome: 'pass' },
    { name: 'it was never called', facts: healthy({ metrics: metrics([]) }), outcome: 'pass' },
    {
      name: 'a mutating webhook of the same name did',
      facts: healthy({ metrics: metrics([counts({ type: 'admit', failedOpen: 5 })]) }),
      outcome: 'pass',
    },
    {
      name: 'another webhook did',
      facts: healthy({ metrics: metrics([counts({ webhook: 'other.example.com', failedOpen: 5 })]) }),
      outcome: 'pass',
    },
    { name: 'counters were not requested', facts: healthy(), outcome: 'not-applicable' },
    {
      name: 'the callout converts',
      facts: healthy({ callouts: [conversion()], metrics: metrics(open(5)) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [{ name: 'metrics are forbidden', facts: healthy({ metrics: forbidden('metrics') }) }],
});
