import { conversionsFailedCounted } from '../../../src/checks/effect/conversions-failed-counted.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { metrics } from './counts.ts';

const counted = (resource: string, converted: number, failed: number) =>
  healthy({
    callouts: [conversion()],
    metrics: metrics([], undefined, { conversions: [{ resource, converted, failed }] }),
  });

describeCheck(conversionsFailedCounted, {
  reports: [
    {
      name: 'conversions that failed',
      facts: counted('widgets.example.com', 40, 2),
      expect: {
        messageId: 'counted',
        data: { failed: 2, all: 42, resource: 'widgets.example.com', since: 'since 2025-12-31T23:00:00Z' },
        confidence: 'observed',
      },
    },
  ],
  reportsNothing: [
    { name: 'all succeeded', facts: counted('widgets.example.com', 40, 0), outcome: 'pass' },
    { name: 'those of another CRD failed', facts: counted('gadgets.example.com', 0, 3), outcome: 'pass' },
    {
      name: 'counters were not requested',
      facts: healthy({ callouts: [conversion()] }),
      outcome: 'not-applicable',
    },
    {
      name: 'nothing converts',
      facts: healthy({ metrics: metrics([]) }),
      outcome: 'not-applicable',
    },
  ],
  isUnknown: [
    {
      name: 'metrics are forbidden',
      facts: healthy({ callouts: [conversion()], metrics: forbidden('metrics') }),
    },
  ],
});
