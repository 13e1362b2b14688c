import { sideEffectsRefuseDryRun } from '../../../src/checks/registration/side-effects-refuse-dry-run.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';

describeCheck(sideEffectsRefuseDryRun, {
  reports: [
    {
      name: 'side effects that are not declared',
      facts: { callouts: [webhook({ sideEffects: 'Unknown' })] },
      expect: { messageId: 'declared', data: { sideEffects: 'Unknown' } },
    },
    {
      name: 'some side effects',
      facts: { callouts: [webhook({ sideEffects: 'Some', failurePolicy: 'Ignore' })] },
      expect: { messageId: 'declared', data: { sideEffects: 'Some' } },
    },
    {
      name: 'a field that is not set',
      facts: { callouts: [webhook({ sideEffects: undefined })] },
      expect: { messageId: 'notSet', data: {} },
    },
  ],
  reportsNothing: [
    { name: 'there are none', facts: { callouts: [webhook()] }, outcome: 'pass' },
    { name: 'there are none in a dry run', facts: { callouts: [webhook({ sideEffects: 'NoneOnDryRun' })] } },
    { name: 'the callout converts', facts: { callouts: [conversion()] }, outcome: 'not-applicable' },
  ],
});
