import { timeoutTooLong } from '../../../src/checks/failure-policy/timeout-too-long.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';

describeCheck(timeoutTooLong, {
  reports: [
    {
      name: 'more than ten seconds until requests are refused',
      facts: { callouts: [webhook({ timeoutSeconds: 30 })] },
      expect: { messageId: 'blocks', data: { seconds: 30 } },
    },
    {
      name: 'more than ten seconds until they pass',
      facts: { callouts: [webhook({ timeoutSeconds: 11, failurePolicy: 'Ignore', kind: 'mutating' })] },
      expect: { messageId: 'passes', data: { seconds: 11 } },
    },
  ],
  reportsNothing: [
    { name: 'it is the default', facts: { callouts: [webhook({ timeoutSeconds: 10 })] }, outcome: 'pass' },
    { name: 'it is short', facts: { callouts: [webhook({ timeoutSeconds: 1 })] } },
    {
      name: 'the callout converts, whose timeout is fixed',
      facts: { callouts: [conversion()] },
      outcome: 'not-applicable',
    },
  ],
});
