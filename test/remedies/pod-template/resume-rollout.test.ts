import { complete } from '../../../src/facts/lookup.ts';
import { resumeRollout } from '../../../src/remedies/pod-template/resume-rollout.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const served = complete([['served', { resources: [], stale: [] }] as const]);
const ofPods = webhook({
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
});
const paused = lists({ shop: [workload({ spec: { paused: true } })] });
const resumed = {
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'patch' as const,
  path: '/spec/paused',
  expected: true,
  after: undefined,
};

describeRemedy(resumeRollout, {
  plans: [
    {
      name: 'the removal of spec.paused, and says that someone paused it',
      facts: healthy({ served, workloads: paused }),
      expect: {
        edits: [resumed],
        fixes: ['validating/policy/policy.example.com'],
        warns: [/Someone paused it/],
      },
    },
    {
      name: 'it where the rules do not cover its Pods in the version that is served',
      facts: healthy({
        served,
        callouts: [
          webhook({
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
            rules: ofPods.rules.map((rule) => ({ ...rule, apiVersions: ['v2'] })),
          }),
        ],
        workloads: paused,
      }),
      expect: { edits: [resumed], warns: [/Someone paused it/] },
    },
  ],
  refuses: [
    {
      name: 'where new Pods must pass the webhook itself, which fails',
      facts: healthy({ served, callouts: [ofPods], workloads: paused }),
      because: /^policy\.example\.com intercepts new Pods.*exclude-backend-namespace/,
    },
  ],
  doesNotFit: [
    { name: 'it is not paused', facts: healthy({ served }) },
    { name: 'nothing makes the Pods', facts: healthy({ served, workloads: lists({}) }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [
    { name: 'the workloads could not be read', facts: healthy({ served, workloads: forbidden() }) },
  ],
});
