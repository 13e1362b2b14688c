import { blockingDisruptionBudget } from '../../../src/checks/practice/blocking-disruption-budget.ts';
import type { DisruptionBudget } from '../../../src/facts/objects/scaling.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { budget, deployment, kept, never } from './kept.ts';

const { maxUnavailable: _, ...bare } = budget().spec;
const minimum = (minAvailable: number | string): DisruptionBudget => ({
  ...budget(),
  spec: { ...bare, minAvailable },
});
const withBudgets = (...budgets: readonly DisruptionBudget[]) =>
  kept([deployment()], { disruptionBudgets: lists({ shop: budgets }) });

describeCheck(blockingDisruptionBudget, {
  reports: [
    {
      name: 'maxUnavailable 0',
      facts: withBudgets(budget({ maxUnavailable: 0 })),
      expect: { messageId: 'never', data: { budget: 'policy', workload: 'Deployment policy', replicas: 2 } },
    },
    {
      name: 'maxUnavailable 0%',
      facts: withBudgets(budget({ maxUnavailable: '0%' })),
      expect: { messageId: 'never' },
    },
    { name: 'as many as there are', facts: withBudgets(minimum(2)), expect: { messageId: 'never' } },
    {
      name: 'a percentage that rounds up to all',
      facts: withBudgets(minimum('51%')),
      expect: { messageId: 'never' },
    },
    {
      name: 'two budgets',
      facts: withBudgets(budget(), budget({}, 'other')),
      expect: { messageId: 'several', data: { workload: 'Deployment policy', count: 2 } },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'one may go', facts: kept(), outcome: 'pass' },
    { name: 'a percentage rounds up to one', facts: withBudgets(budget({ maxUnavailable: '1%' })) },
    { name: 'one must remain', facts: withBudgets(minimum(1)) },
    { name: 'half have to stay', facts: withBudgets(minimum('50%')) },
    { name: 'there is none', facts: withBudgets() },
  ],
  isUnknown: [
    {
      name: 'budgets may not be read',
      facts: kept([deployment()], { disruptionBudgets: forbidden('pdbs') }),
    },
  ],
});
