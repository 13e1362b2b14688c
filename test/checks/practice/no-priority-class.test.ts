import { noPriorityClass } from '../../../src/checks/practice/no-priority-class.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { deployment, kept, never } from './kept.ts';

describeCheck(noPriorityClass, {
  reports: [
    { name: 'none', facts: kept(), expect: { messageId: 'none', data: { workload: 'Deployment policy' } } },
  ],
  reportsNothing: [
    ...never,
    {
      name: 'it has one',
      facts: kept([deployment({ podSpec: { priorityClassName: 'system-cluster-critical' } })]),
      outcome: 'pass',
    },
    {
      name: 'nothing is refused without it',
      facts: kept([deployment()], { callouts: [webhook({ failurePolicy: 'Ignore' })] }),
    },
  ],
});
