import { latencyCounted } from '../../../src/checks/effect/latency-counted.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counts, metrics } from './counts.ts';

/** 1000 calls, with the number that took longer than each bound. */
const late = (over: Readonly<Record<number, number>>) =>
  metrics([
    counts({
      seconds: 400,
      buckets: [0.5, 2.5, 10, 25].map((seconds) => ({ seconds, calls: 1000 - (over[seconds] ?? 0) })),
    }),
  ]);
const with3 = { callouts: [webhook({ timeoutSeconds: 3 })] };

describeCheck(latencyCounted, {
  reports: [
    {
      name: 'calls that took most of three seconds',
      facts: healthy({ ...with3, metrics: late({ 0.5: 300, 2.5: 40 }) }),
      expect: {
        messageId: 'slow',
        data: {
          late: 40,
          calls: 1000,
          webhook: 'policy.example.com',
          bound: 2.5,
          since: 'since 2025-12-31T23:00:00Z',
          timeout: 3,
          average: 400,
        },
        confidence: 'observed',
      },
    },
    {
      name: 'calls that ran out of ten seconds',
      facts: healthy({ metrics: late({ 0.5: 30, 2.5: 30, 10: 30 }) }),
      expect: { messageId: 'slow' },
    },
    {
      name: 'that three of five were late, as after a start',
      facts: healthy({
        ...with3,
        metrics: metrics([counts({ calls: 5, buckets: [{ seconds: 2.5, calls: 2 }] })]),
      }),
      expect: { messageId: 'few' },
    },
  ],
  reportsNothing: [
    { name: 'calls are quick', facts: healthy({ ...with3, metrics: late({}) }), outcome: 'pass' },
    {
      name: 'they are slow, and have the time',
      facts: healthy({ metrics: late({ 0.5: 900, 2.5: 500 }) }),
      outcome: 'pass',
    },
    { name: 'a few of many were late', facts: healthy({ ...with3, metrics: late({ 2.5: 9 }) }) },
    {
      name: 'two of two were late, as after a start',
      facts: healthy({
        ...with3,
        metrics: metrics([counts({ calls: 2, buckets: [{ seconds: 2.5, calls: 0 }] })]),
      }),
    },
    {
      name: 'another webhook of that name has more time',
      facts: healthy({
        callouts: [
          webhook({ timeoutSeconds: 3 }),
          webhook({
            timeoutSeconds: 30,
            configuration: 'other',
            ref: { kind: 'ValidatingWebhookConfiguration', name: 'other', webhook: 'policy.example.com' },
          }),
        ],
        metrics: late({ 2.5: 40 }),
      }),
    },
    {
      name: 'no bound lies above half of its time',
      facts: healthy({
        ...with3,
        metrics: metrics([counts({ buckets: [{ seconds: 1, calls: 0 }] })]),
      }),
    },
    { name: 'counters were not requested', facts: healthy(), outcome: 'not-applicable' },
  ],
  isUnknown: [{ name: 'metrics are forbidden', facts: healthy({ metrics: forbidden('metrics') }) }],
});
