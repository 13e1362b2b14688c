import { rolloutTakesAll } from '../../../src/checks/practice/rollout-takes-all.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { deployment, kept, never } from './kept.ts';

const rolling = (rollingUpdate: object, replicas = 2) =>
  kept([deployment({ spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate } } })]);
describeCheck(rolloutTakesAll, {
  reports: [
    {
      name: 'Recreate',
      facts: kept([deployment({ spec: { strategy: { type: 'Recreate' } } })]),
      expect: { messageId: 'recreate', data: { workload: 'Deployment policy' } },
    },
    {
      name: 'as many as there are',
      facts: rolling({ maxUnavailable: 2, maxSurge: 0 }),
      expect: { messageId: 'unavailable', data: { workload: 'Deployment policy', replicas: 2, value: 2 } },
    },
    {
      name: 'all of them in per cent',
      facts: rolling({ maxUnavailable: '100%' }),
      expect: { messageId: 'unavailable' },
    },
    {
      name: 'the only one, when no other may come first',
      facts: rolling({ maxUnavailable: 0, maxSurge: 0 }, 1),
      expect: { messageId: 'unavailable' },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'the defaults hold', facts: kept(), outcome: 'pass' },
    {
      name: 'one replica is followed by the next',
      facts: rolling({ maxUnavailable: '25%', maxSurge: '25%' }, 1),
    },
    { name: 'one of two may go', facts: rolling({ maxUnavailable: 1, maxSurge: 0 }) },
    { name: 'it is a StatefulSet', facts: kept([deployment({ kind: 'StatefulSet' })]) },
  ],
});
