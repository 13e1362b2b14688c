import { duplicateWebhookName } from '../../../src/checks/registration/duplicate-webhook-name.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, webhook } from '../../support/snapshot.ts';

const other = (configuration: string) =>
  webhook({
    configuration,
    ref: { kind: 'ValidatingWebhookConfiguration', name: configuration, webhook: 'policy.example.com' },
  });
const cleanup = {
  webhook: 'kyverno-cleanup-controller.kyverno.svc',
  client: { service: { namespace: 'kyverno', name: 'kyverno-cleanup-controller', port: 443 } },
};
const operator = (configuration: string) => ({
  ...other(configuration),
  webhook: 'mpod.kb.io',
  client: { service: { namespace: configuration, name: `${configuration}-webhook-service`, port: 443 } },
});
const sameName = (others: string) => ({
  messageId: 'sameName',
  data: { webhook: 'policy.example.com', others },
});

describeCheck(duplicateWebhookName, {
  reports: [
    {
      name: 'the name in two configurations, at both',
      facts: { callouts: [webhook(), other('policy-2')] },
      expect: [sameName('configuration policy-2'), sameName('configuration policy')],
    },
    {
      name: 'a product with two backends',
      facts: {
        callouts: [
          webhook(cleanup),
          {
            ...other('ttl'),
            ...cleanup,
            client: { service: { ...cleanup.client.service, namespace: 'kyverno-2' } },
          },
        ],
      },
      expect: [{ messageId: 'sameName' }, { messageId: 'sameName' }],
    },
    {
      name: 'a name that two operators have from kubebuilder',
      facts: { callouts: [operator('kueue'), operator('jobset')] },
      expect: [
        { messageId: 'byChance', data: { webhook: 'mpod.kb.io', others: 'configuration jobset' } },
        { messageId: 'byChance', data: { webhook: 'mpod.kb.io', others: 'configuration kueue' } },
      ],
    },
    {
      name: 'such a name twice before one backend',
      facts: { callouts: [operator('pods'), { ...operator('old'), client: operator('pods').client }] },
      expect: [{ messageId: 'sameName' }, { messageId: 'sameName' }],
    },
    {
      name: 'the name in three configurations',
      facts: { callouts: [webhook(), other('c'), other('b')] },
      expect: [
        sameName('configurations b and c'),
        sameName('configurations b and policy'),
        sameName('configurations c and policy'),
      ],
    },
  ],
  reportsNothing: [
    {
      name: 'a product has one backend behind both, as Kyverno’s cleanup controller does',
      facts: { callouts: [webhook(cleanup), { ...other('ttl'), ...cleanup }] },
      outcome: 'pass',
    },
    { name: 'the name is there once', facts: { callouts: [webhook(), conversion()] } },
    {
      name: 'the names differ',
      facts: { callouts: [webhook(), { ...other('policy-2'), webhook: 'other.example.com' }] },
    },
    {
      name: 'a validating and a mutating webhook share it, as those of cert-manager do',
      facts: { callouts: [webhook(), { ...other('policy'), kind: 'mutating' }] },
      outcome: 'not-applicable',
    },
  ],
});
