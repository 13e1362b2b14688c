import { ruleCoversExemptKind } from '../../../src/checks/registration/rule-covers-exempt-kind.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';

const withRule = (apiGroups: readonly string[], resources: readonly string[]) => ({
  callouts: [webhook({ rules: [{ operations: ['*'], apiGroups, apiVersions: ['*'], resources }] })],
});

describeCheck(ruleCoversExemptKind, {
  reports: [
    {
      name: 'webhook configurations',
      facts: withRule(
        ['admissionregistration.k8s.io'],
        ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
      ),
      expect: {
        messageId: 'exempt',
        data: { resources: 'validatingwebhookconfigurations, mutatingwebhookconfigurations' },
      },
    },
    {
      name: 'an admission policy, in whatever group',
      facts: withRule(['*'], ['pods', 'validatingadmissionpolicies']),
      expect: { messageId: 'exempt', data: { resources: 'validatingadmissionpolicies' } },
    },
  ],
  staysSilent: [
    { name: 'rules name other resources', facts: withRule([''], ['pods']), outcome: 'pass' },
    {
      name: 'the group is another one',
      facts: withRule(['example.com'], ['validatingwebhookconfigurations']),
    },
    { name: 'rules cover everything, and these with it', facts: withRule(['*'], ['*/*']) },
    {
      name: 'rules name what only looks untouchable',
      facts: withRule(['apiregistration.k8s.io', ''], ['apiservices', 'namespaces']),
    },
    {
      name: 'there are no rules',
      facts: { callouts: [webhook({ rules: [] })] },
      outcome: 'not-applicable',
    },
  ],
});
