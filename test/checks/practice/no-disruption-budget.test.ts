import { noDisruptionBudget } from '../../../src/checks/practice/no-disruption-budget.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { budget, deployment, kept, never } from './kept.ts';

const none = { disruptionBudgets: lists({ shop: [] }) };
describeCheck(noDisruptionBudget, {
  reports: [
    {
      name: 'two replicas without one',
      facts: kept([deployment()], none),
      expect: { messageId: 'none', data: { replicas: 2, workload: 'Deployment policy' } },
    },
    {
      name: 'one that counts others',
      facts: kept([deployment()], {
        disruptionBudgets: lists({ shop: [budget({ selector: { matchLabels: { app: 'other' } } })] }),
      }),
      expect: { messageId: 'none' },
    },
  ],
  reportsNothing: [
    ...never,
    { name: 'there is one', facts: kept(), outcome: 'pass' },
    {
      name: 'one counts every Pod of the namespace',
      facts: kept([deployment()], { disruptionBudgets: lists({ shop: [budget({ selector: {} })] }) }),
    },
    { name: 'there is one replica', facts: kept([deployment({ spec: { replicas: 1 } })], none) },
    { name: 'it is a DaemonSet', facts: kept([deployment({ kind: 'DaemonSet' })], none) },
  ],
  isUnknown: [
    {
      name: 'budgets may not be read',
      facts: kept([deployment()], { disruptionBudgets: forbidden('pdbs') }),
    },
  ],
});
