import { flipFailurePolicy } from '../../../src/remedies/webhook/flip-failure-policy.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const flip = {
  object: ref,
  operation: 'patch' as const,
  path: '/webhooks/0/failurePolicy',
  expected: 'Fail',
  after: 'Ignore',
};

describeRemedy(flipFailurePolicy, {
  plans: [
    {
      name: 'to let requests pass, whatever breaks the call',
      facts: healthy(),
      problem: { check: 'service-missing' },
      expect: { edits: [flip], fixes: [], warns: [/admitted unchecked, and stay/] },
    },
    {
      name: 'and reports what objects lack if the webhook changes them',
      facts: healthy({
        callouts: [
          webhook({ kind: 'mutating', index: 2, ref: { ...ref, kind: 'MutatingWebhookConfiguration' } }),
        ],
      }),
      problem: { check: 'no-ready-endpoint' },
      expect: {
        edits: [
          {
            ...flip,
            path: '/webhooks/2/failurePolicy',
            object: { ...ref, kind: 'MutatingWebhookConfiguration' },
          },
        ],
        warns: [/lack the changes of the webhook/],
      },
    },
    {
      name: 'a restart as well where Pods of the backend wait for the webhook itself',
      facts: healthy(),
      problem: { check: 'bootstrap-deadlock' },
      expect: {
        edits: [
          flip,
          {
            object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
            operation: 'restart',
            afterPrevious: true,
          },
        ],
        summary: /Deployment shop\/policy is restarted to retry/,
        fixes: ['validating/policy/policy.example.com'],
      },
    },
    {
      name: 'for a policy engine only with the flag that says so',
      facts: healthy({
        callouts: [
          webhook({
            webhook: 'validation.gatekeeper.sh',
            ref: { ...ref, webhook: 'validation.gatekeeper.sh' },
          }),
        ],
      }),
      problem: { check: 'service-missing' },
      expect: {
        edits: [{ ...flip, object: { ...ref, webhook: 'validation.gatekeeper.sh' } }],
        needsFlag: '--i-accept-unchecked-admission',
      },
    },
    {
      name: 'and reports what reverts it',
      facts: healthy({
        callouts: [
          webhook({
            metadata: {
              name: 'policy',
              annotations: {
                'argocd.argoproj.io/tracking-id': 'shop-app:admissionregistration.k8s.io/x:/policy',
              },
            },
          }),
        ],
      }),
      problem: { check: 'service-missing' },
      expect: { edits: [flip], warns: [/Argo CD Application shop-app reverts it at its next sync/] },
    },
  ],
  doesNotFit: [
    { name: 'it fails open already', facts: healthy({ callouts: [webhook({ failurePolicy: 'Ignore' })] }) },
    { name: 'the call works', facts: healthy(), problem: { breaks: false } },
    { name: 'failurePolicy does not apply', facts: healthy(), problem: { refusedAnyway: true } },
    { name: 'the webhook is never called', facts: healthy({ callouts: [webhook({ rules: [] })] }) },
    { name: 'a conversion webhook has no failurePolicy', facts: healthy({ callouts: [conversion()] }) },
    {
      name: 'another check does not break a call',
      facts: healthy({ workloads: forbidden(), callouts: [webhook()] }),
      problem: { check: 'timeout-too-long', breaks: false },
    },
  ],
  isUnknown: [
    {
      name: 'workload waits is unknown',
      facts: healthy({ workloads: forbidden('workloads') }),
      problem: { check: 'bootstrap-deadlock' },
    },
  ],
});
