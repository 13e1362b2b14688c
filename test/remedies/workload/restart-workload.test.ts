import { complete } from '../../../src/facts/lookup.ts';
import { restartWorkload } from '../../../src/remedies/workload/restart-workload.ts';
import { ago, status, unready } from '../../checks/replica/replicas.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, pod, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const restart = {
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'restart' as const,
};
const served = complete([['served', { resources: [], stale: [] }] as const]);
const ofPods = webhook({
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
});

const onHost = (readyReplicas: number) => {
  const { spec, ...rest } = workload();
  const template = { ...spec.template, spec: { containers: [], hostNetwork: true } };
  return { ...rest, spec: { ...spec, template }, status: { readyReplicas } };
};

const mounting = (() => {
  const { spec, ...rest } = workload();
  const volumes = [{ name: 'certs', secret: { secretName: 'policy-tls' } }];
  const containers = [{ name: 'webhook', volumeMounts: [{ name: 'certs', mountPath: '/certs' }] }];
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: { containers, volumes } } } };
})();

/** A Pod whose process runs since an hour, and that is not Ready since then. */
const unreadySince = (lastTransitionTime: string) =>
  lists({
    'shop/policy': [
      unready({
        status: {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'False', lastTransitionTime }],
          containerStatuses: [status({ started: true, state: { running: { startedAt: ago(3600) } } })],
        },
      }),
    ],
  });

describeRemedy(restartWorkload, {
  plans: [
    {
      name: 'new Pods, which may help, where a process was Ready before',
      problem: { check: 'replica-readiness-failing' },
      facts: healthy({ served, pods: unreadySince(ago(300)) }),
      expect: {
        edits: [restart],
        unsure: 'new Pods may fail in the same way',
        warns: [/one replica/, /save it first/],
      },
    },
    {
      name: 'new Pods, which may wait for the same server as the old ones',
      problem: { check: 'replica-hangs' },
      facts: healthy({
        served,
        pods: unreadySince(ago(300)),
        logs: complete([
          ['shop/policy-1/webhook', 'E1 "lookup" err="dial tcp 203.0.113.40:636: i/o timeout"'],
        ]),
      }),
      expect: {
        edits: [restart],
        unsure: 'new Pods may wait for 203.0.113.40:636 as well',
        warns: [/one replica/, /failed request to 203\.0\.113\.40/],
      },
    },
    {
      name: 'new Pods, which may hang again',
      problem: { check: 'replica-hangs' },
      facts: healthy({ served }),
      expect: { edits: [restart], unsure: 'new Pods may fail in the same way', warns: [/one replica/] },
    },
    {
      name: 'new Pods, beside one that nothing replaces',
      problem: { check: 'replicas-serve-different-certificates' },
      facts: healthy({
        served,
        workloads: lists({ shop: [mounting] }),
        pods: lists({ 'shop/policy': [pod(), pod({ metadata: { name: 'old', ownerReferences: [] } })] }),
      }),
      expect: {
        edits: [restart],
        unsure: 'other Pods of the Service are not replaced',
        warns: [/one replica/],
      },
    },
    {
      name: 'new Pods',
      facts: healthy({ served, workloads: lists({ shop: [workload({ spec: { replicas: 2 } })] }) }),
      expect: { edits: [restart], fixes: ['validating/policy/policy.example.com'], warns: [] },
    },
    {
      name: 'new Pods on the host network, where one is Ready',
      facts: healthy({ served, workloads: lists({ shop: [onHost(1)] }) }),
      expect: { edits: [restart], warns: [/one replica/] },
    },
    {
      name: 'a new Pod, with a word about there being one',
      facts: healthy({ served }),
      expect: { edits: [restart], warns: [/one replica/] },
    },
    {
      name: 'new Pods, which the rules do not cover in the version that is served',
      facts: healthy({
        served,
        callouts: [
          webhook({
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
            rules: [
              {
                operations: ['CREATE'],
                apiGroups: [''],
                apiVersions: ['v2'],
                resources: ['pods'],
                scope: '*',
              },
            ],
          }),
        ],
      }),
      expect: { edits: [restart] },
    },
    {
      name: 'new Pods, for calls still work and let them pass',
      facts: healthy({ served, callouts: [ofPods] }),
      problem: { breaks: false },
      expect: { edits: [restart] },
    },
  ],
  refuses: [
    {
      name: 'where new Pods must pass the webhook itself, which fails',
      facts: healthy({ served, callouts: [ofPods] }),
      because: /^policy\.example\.com intercepts new Pods.*exclude-backend-namespace/,
    },
  ],
  doesNotFit: [
    {
      name: 'the process has never been Ready',
      problem: { check: 'replica-readiness-failing' },
      facts: healthy({ served, pods: unreadySince(ago(3600)) }),
    },
    {
      name: 'the process hangs because its own request must pass its webhook',
      problem: { check: 'replica-hangs' },
      facts: healthy({
        served,
        pods: unreadySince(ago(300)),
        logs: complete([
          [
            'shop/policy-1/webhook',
            'E1 failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": context deadline exceeded',
          ],
        ]),
      }),
    },
    { name: 'nothing makes the Pods', facts: healthy({ served, workloads: lists({}) }) },
    {
      name: 'only a ReplicaSet makes the Pods',
      facts: healthy({ served, workloads: lists({ shop: [workload({ kind: 'ReplicaSet' })] }) }),
    },
    {
      name: 'another process may respond at the port of the node',
      facts: healthy({ served, workloads: lists({ shop: [onHost(0)] }) }),
    },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
  ],
  isUnknown: [
    { name: 'the workloads could not be read', facts: healthy({ served, workloads: forbidden() }) },
  ],
});
