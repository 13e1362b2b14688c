import { ephemeralContainersUnchecked } from '../../../src/checks/scope/ephemeral-containers-unchecked.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { conversion, healthy, webhook } from '../../support/snapshot.ts';

const over = (resources: readonly string[], more: Parameters<typeof webhook>[0] = {}) =>
  healthy({
    callouts: [
      webhook({
        rules: [
          { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources, scope: '*' },
        ],
        ...more,
      }),
    ],
  });

describeCheck(ephemeralContainersUnchecked, {
  reports: [
    {
      name: 'a webhook that validates new Pods alone',
      facts: over(['pods']),
      expect: { messageId: 'both', data: { webhook: 'policy.example.com' } },
    },
    {
      name: 'a webhook that is called for ephemeral containers, but not for resizes',
      facts: over(['pods', 'pods/ephemeralcontainers']),
      expect: { messageId: 'resizes', data: { webhook: 'policy.example.com' } },
    },
    {
      name: 'no resizes, where the API server does not serve them',
      facts: { ...over(['pods']), version: '1.32.1' },
      expect: { messageId: 'uncovered', data: { webhook: 'policy.example.com' } },
    },
    {
      name: 'every resource, which covers no subresource',
      facts: over(['*'], { webhook: 'validation.gatekeeper.sh' }),
      expect: { messageId: 'both' },
    },
  ],
  reportsNothing: [
    {
      name: 'the subresources are covered',
      facts: over(['pods', 'pods/ephemeralcontainers', 'pods/resize']),
      outcome: 'pass',
    },
    {
      name: 'the subresource is covered, before resizes were served',
      facts: { ...over(['pods', 'pods/ephemeralcontainers']), version: '1.32.1' },
      outcome: 'pass',
    },
    { name: 'all subresources are', facts: over(['pods/*']), outcome: 'pass' },
    { name: 'it validates no Pods', facts: over(['configmaps']), outcome: 'not-applicable' },
    { name: 'it changes Pods and denies none', facts: over(['pods'], { kind: 'mutating' }) },
    {
      name: 'a known product enforces nothing by it',
      facts: over(['pods'], { webhook: 'webhook.cert-manager.io' }),
    },
    { name: 'there are no rules', facts: healthy({ callouts: [conversion()] }) },
  ],
});
