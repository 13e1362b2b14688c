import { ruleCoversExemptKind } from '../../../src/checks/registration/rule-covers-exempt-kind.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';

const withRule = (apiGroups: readonly string[], resources: readonly string[]) => ({
  callouts: [webhook({ rules: [{ operations: ['*'], apiGroups, apiVersions: ['*'], resources }] })],
});

const reviews = withRule(
  ['authentication.k8s.io', 'authorization.k8s.io'],
  ['tokenreviews', 'subjectaccessreviews', 'subjectaccessreviews/status'],
);

describeCheck(ruleCoversExemptKind, {
  reports: [
    {
      name: 'reviews of tokens and access from 1.37 on',
      facts: { ...reviews, version: 'v1.37.1' },
      expect: { messageId: 'exempt', data: { resources: 'tokenreviews and subjectaccessreviews' } },
    },
    {
      name: 'webhook configurations',
      facts: withRule(
        ['admissionregistration.k8s.io'],
        ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'],
      ),
      expect: {
        messageId: 'exempt',
        data: { resources: 'validatingwebhookconfigurations and mutatingwebhookconfigurations' },
      },
    },
    {
      name: 'an admission policy, in whatever group',
      facts: withRule(['*'], ['pods', 'validatingadmissionpolicies']),
      expect: { messageId: 'exempt', data: { resources: 'validatingadmissionpolicies' } },
    },
  ],
  // The API server of these cases is 1.35.4 by default.
  reportsNothing: [
    {
      name: 'rules name reviews of tokens, which are sent before 1.37',
      facts: { ...reviews, version: 'v1.36.9' },
    },
    { name: 'they do, and the version is unknown', facts: { ...reviews, version: undefined } },
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
