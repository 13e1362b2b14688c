import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import { setTimeout } from '../../../src/remedies/webhook/set-timeout.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, webhook } from '../../support/snapshot.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const edit = (expected: number, after: number) => ({
  object: ref,
  operation: 'patch' as const,
  path: '/webhooks/0/timeoutSeconds',
  expected,
  after,
});
const answered = (milliseconds: number) =>
  complete<CalloutProbes>([
    [
      'validating/policy/policy.example.com',
      {
        level: 'review',
        serverName: 'policy.shop.svc',
        notTried: [],
        replicas: [
          {
            pod: 'policy-1',
            port: 8443,
            ready: true,
            notTried: [],
            dialogues: [
              {
                way: 'port-forward',
                reviews: [
                  {
                    version: 'v1',
                    uid: 'u',
                    operation: 'CREATE',
                    resource: 'configmaps',
                    milliseconds,
                    answer: { status: 200, headers: {}, body: new Uint8Array() },
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  ]);

describeRemedy(setTimeout, {
  plans: [
    {
      name: 'to shorten a long one',
      facts: healthy({ callouts: [webhook({ timeoutSeconds: 30 })] }),
      expect: { edits: [edit(30, 5)], warns: [/was not measured/] },
    },
    {
      name: 'to shorten with certainty if responses were measured',
      facts: healthy({ callouts: [webhook({ timeoutSeconds: 30 })], probes: answered(12) }),
      expect: { edits: [edit(30, 5)], warns: [] },
    },
    {
      name: 'to lengthen a short one',
      facts: healthy({ callouts: [webhook({ timeoutSeconds: 1 })], probes: answered(900) }),
      problem: { check: 'timeout-too-short' },
      expect: { edits: [edit(1, 10)] },
    },
  ],
  refuses: [
    {
      name: 'if a response took nearly as long',
      facts: healthy({ callouts: [webhook({ timeoutSeconds: 30 })], probes: answered(2_600) }),
      because: /took 2\.6 s/,
    },
  ],
  doesNotFit: [
    { name: 'it is short already', facts: healthy({ callouts: [webhook({ timeoutSeconds: 5 })] }) },
    {
      name: 'it is long enough already',
      facts: healthy({ callouts: [webhook({ timeoutSeconds: 10 })] }),
      problem: { check: 'timeout-too-short' },
    },
    { name: 'the timeout is fixed', facts: healthy({ callouts: [conversion()] }) },
  ],
});
