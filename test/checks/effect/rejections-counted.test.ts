import { rejectionsCounted } from '../../../src/checks/effect/rejections-counted.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counts, metrics } from './counts.ts';

const since = 'since 2025-12-31T23:00:00Z';
const common = { since, webhook: 'policy.example.com' };

describeCheck(rejectionsCounted, {
  reports: [
    {
      name: 'requests that were refused, by code',
      facts: healthy({ metrics: metrics([counts({ refused: { 500: 1, 503: 12 } })]) }),
      expect: {
        messageId: 'counted',
        data: { ...common, count: 13, codes: '503 (12), 500 (1)' },
        confidence: 'observed',
      },
    },
    {
      name: 'answers that are of no use',
      facts: healthy({ metrics: metrics([counts({ unusable: 2 })]) }),
      expect: { messageId: 'counted', data: { ...common, count: 2, codes: 'answer of no use (2)' } },
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
      name: 'that it is over',
      facts: healthy({
        metrics: metrics([counts({ refused: { 503: 2 } })], [counts({ refused: { 503: 2 } })]),
      }),
      expect: { messageId: 'over', data: { ...common, count: 2, codes: '503 (2)', span: '30 s' } },
    },
  ],
  staysSilent: [
    {
      name: 'it denies, as a webhook should',
      facts: healthy({ metrics: metrics([counts({ denied: 400 })]) }),
      outcome: 'pass',
    },
    { name: 'nothing was refused', facts: healthy({ metrics: metrics([counts()]) }), outcome: 'pass' },
    { name: 'it was never called', facts: healthy({ metrics: metrics([]) }), outcome: 'pass' },
    { name: 'nobody was to count', facts: healthy(), outcome: 'not-applicable' },
  ],
  cannotTell: [{ name: 'nobody may read metrics', facts: healthy({ metrics: forbidden('metrics') }) }],
});
