import { duplicateInstallation } from '../../../src/checks/registration/duplicate-installation.ts';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';

const second = (over: Partial<AdmissionCallout> = {}) =>
  webhook({
    configuration: 'old-policy',
    ref: { kind: 'ValidatingWebhookConfiguration', name: 'old-policy', webhook: 'policy.example.com' },
    client: { service: { namespace: 'old', name: 'policy', port: 443 } },
    ...over,
  });
const overlap = (others: string) => ({
  messageId: 'overlap',
  data: { webhook: 'policy.example.com', others },
});
const revision = (name: string) => ({ namespaceSelector: { matchLabels: { 'istio.io/rev': name } } });

describeCheck(duplicateInstallation, {
  reports: [
    {
      name: 'two releases that get the same requests',
      facts: { callouts: [webhook(), second()] },
      expect: [overlap('configuration old-policy'), overlap('configuration policy')],
    },
    {
      name: 'a renamed release before the same Service',
      facts: { callouts: [webhook(), second({ client: webhook().client })] },
      expect: [overlap('configuration old-policy'), overlap('configuration policy')],
    },
    {
      name: 'a copy that calls a URL',
      facts: { callouts: [webhook(), second({ client: { url: 'https://policy.example.com' } })] },
      expect: [overlap('configuration old-policy'), overlap('configuration policy')],
    },
    {
      name: 'a name of kubebuilder before Services of the same name',
      facts: { callouts: [webhook({ webhook: 'vwidget.kb.io' }), second({ webhook: 'vwidget.kb.io' })] },
      expect: [
        { messageId: 'overlap', data: { webhook: 'vwidget.kb.io', others: 'configuration old-policy' } },
        { messageId: 'overlap', data: { webhook: 'vwidget.kb.io', others: 'configuration policy' } },
      ],
    },
  ],
  reportsNothing: [
    {
      name: 'two products have the name that kubebuilder gives',
      facts: {
        callouts: [
          webhook({ webhook: 'mpod.kb.io' }),
          second({
            webhook: 'mpod.kb.io',
            client: { service: { namespace: 'jobset', name: 'jobset-webhook', port: 443 } },
          }),
        ],
      },
      outcome: 'pass',
    },
    { name: 'there is one', facts: { callouts: [webhook()] }, outcome: 'not-applicable' },
    {
      name: 'revisions share the namespaces out among them',
      facts: { callouts: [webhook(revision('a')), second(revision('b'))] },
    },
    {
      name: 'they look at other objects',
      facts: { callouts: [webhook(), second({ objectSelector: { matchLabels: { a: 'b' } } })] },
    },
    {
      name: 'their conditions differ',
      facts: { callouts: [webhook(), second({ matchConditions: [{ name: 'x', expression: 'true' }] })] },
    },
    {
      name: 'their rules have nothing in common',
      facts: {
        callouts: [
          webhook(),
          second({
            rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
          }),
        ],
      },
    },
    {
      name: 'one validates and one mutates',
      facts: { callouts: [webhook(), second({ kind: 'mutating' })] },
      outcome: 'not-applicable',
    },
  ],
});
