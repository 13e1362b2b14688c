import { policyFailsOpen } from '../../../src/checks/failure-policy/policy-fails-open.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { healthy, webhook } from '../../support/snapshot.ts';

const named = (name: string, over: Parameters<typeof webhook>[0] = {}) =>
  healthy({ callouts: [webhook({ webhook: name, failurePolicy: 'Ignore', ...over })] });

const on = (group: string, resource: string) => ({
  operations: ['CREATE'],
  apiGroups: [group],
  apiVersions: ['v1'],
  resources: [resource],
  scope: '*' as const,
});

describeCheck(policyFailsOpen, {
  reports: [
    {
      name: 'Gatekeeper as its chart installs it',
      facts: named('validation.gatekeeper.sh'),
      expect: {
        messageId: 'ignored',
        data: {
          webhook: 'validation.gatekeeper.sh',
          product: 'Gatekeeper',
          what: 'its constraints and mutations',
        },
      },
    },
    {
      name: 'policies of Kyverno that ask for it',
      facts: named('validate.kyverno.svc-ignore'),
      expect: { messageId: 'ignored' },
    },
    {
      name: 'an injector of sidecars',
      facts: named('rev.namespace.sidecar-injector.istio.io'),
      expect: { messageId: 'ignored' },
    },
    {
      name: 'a validating webhook of no known product, of what runs in the cluster',
      facts: named('policy.example.com', { rules: [on('apps', 'deployments')] }),
      expect: {
        messageId: 'unlisted',
        data: { webhook: 'policy.example.com', resources: 'deployments' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'it fails closed',
      facts: named('validation.gatekeeper.sh', { failurePolicy: 'Fail' }),
      outcome: 'not-applicable',
    },
    { name: 'nothing is sent to it', facts: named('validation.gatekeeper.sh', { rules: [] }) },
    { name: 'it only watches over the product itself', facts: named('monitor-webhooks.kyverno.svc') },
    { name: 'it enforces nothing that we know of', facts: named('policy.example.com') },
    {
      name: 'it changes Pods and denies none',
      facts: named('policy.example.com', { kind: 'mutating', rules: [on('', 'pods')] }),
    },
    {
      name: 'it validates objects of its own operator',
      facts: named('policy.example.com', { rules: [on('example.com', 'widgets')] }),
    },
    {
      name: 'a known product enforces nothing by it',
      facts: named('webhook.cert-manager.io', { rules: [on('', 'pods')] }),
    },
    { name: 'the name only has the same suffix', facts: named('notvalidation.gatekeeper.sh') },
  ],
});
