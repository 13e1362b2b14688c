import { matchConditionErrorsCounted } from '../../../src/checks/effect/match-condition-errors-counted.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { counts, metrics } from './counts.ts';

const common = { since: 'since 2025-12-31T23:00:00Z', webhook: 'policy.example.com' };
const errors = (conditionErrors: number) => [counts({ conditionErrors })];

describeCheck(matchConditionErrorsCounted, {
  reports: [
    {
      name: 'conditions that ended in errors',
      facts: healthy({ metrics: metrics(errors(3)) }),
      expect: { messageId: 'counted', data: { ...common, times: '3 times' }, confidence: 'observed' },
    },
    {
      name: 'errors at the moment',
      facts: healthy({ metrics: metrics(errors(3), errors(1)) }),
      expect: { messageId: 'goingOn', data: { ...common, count: 3, recent: '2 times', span: '30 s' } },
    },
    {
      name: 'that it is over',
      facts: healthy({ metrics: metrics(errors(3), errors(3)) }),
      expect: { messageId: 'over', data: { ...common, times: '3 times', span: '30 s' } },
    },
  ],
  reportsNothing: [
    { name: 'none did', facts: healthy({ metrics: metrics([counts()]) }), outcome: 'pass' },
    { name: 'it was never called', facts: healthy({ metrics: metrics([]) }), outcome: 'pass' },
    { name: 'counters were not requested', facts: healthy(), outcome: 'not-applicable' },
  ],
  isUnknown: [{ name: 'metrics are forbidden', facts: healthy({ metrics: forbidden('metrics') }) }],
});
