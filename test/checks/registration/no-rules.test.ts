import { noRules } from '../../../src/checks/registration/no-rules.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { aggregatedApi, conversion, webhook } from '../../support/snapshot.ts';

describeCheck(noRules, {
  reports: [
    {
      name: 'a webhook without rules',
      facts: { callouts: [webhook({ rules: [] })] },
      expect: { messageId: 'none', data: { webhook: 'policy.example.com' } },
    },
    {
      name: 'a mutating one as well',
      facts: { callouts: [webhook({ kind: 'mutating', rules: [] }), webhook()] },
      expect: { messageId: 'none', data: { webhook: 'policy.example.com' } },
    },
  ],
  reportsNothing: [
    { name: 'there is a rule', facts: { callouts: [webhook()] }, outcome: 'pass' },
    {
      name: 'the callout is no webhook of an admission configuration',
      facts: { callouts: [conversion(), aggregatedApi()] },
      outcome: 'not-applicable',
    },
  ],
});
