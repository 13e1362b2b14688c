import { complete } from '../../../src/facts/lookup.ts';
import type { Volume } from '../../../src/facts/objects/pod.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';
import { excludeBackendNamespace } from '../../../src/remedies/webhook/exclude-backend-namespace.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, lists, namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const pods = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  scope: '*' as const,
};
const everything = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  scope: '*' as const,
};
const namespaces = objects(namespace('shop'), namespace('kube-system'));
const served = complete([['served', { resources: [], stale: [] }] as const]);
const not = (...values: readonly string[]) => ({
  matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values }],
});
const restart = {
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'restart' as const,
  afterPrevious: true as const,
};
const edit = (after: object) => ({
  object: ref,
  operation: 'patch' as const,
  path: '/webhooks/0/namespaceSelector',
  expected: {},
  after,
});

const refused = (namespaceOf: string, volumes: readonly Volume[]) => ({
  failedCreateEvents: lists({
    FailedCreate: [
      {
        metadata: { name: 'agent.1', namespace: namespaceOf },
        involvedObject: { kind: 'DaemonSet', namespace: namespaceOf, name: 'agent' },
        reason: 'FailedCreate',
        message:
          'Error creating: Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused',
      },
    ],
  }),
  podControllers: complete<PodController>([
    [
      `DaemonSet ${namespaceOf}/agent`,
      {
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: namespaceOf },
        spec: { template: { spec: { containers: [], volumes } } },
        status: { desiredNumberScheduled: 1, currentNumberScheduled: 0 },
      },
    ],
  ]),
});
const agentRefused = refused('kube-system', [{ name: 'cni', hostPath: { path: '/etc/cni/net.d' } }]);

describeRemedy(excludeBackendNamespace, {
  plans: [
    {
      name: 'to leave its own namespace out and to try again',
      facts: healthy({ namespaces, served, callouts: [webhook({ rules: [pods] })] }),
      expect: {
        edits: [edit(not('shop')), restart],
        summary: /namespace shop; Deployment shop\/policy is restarted to retry/,
      },
    },
    {
      name: 'before it comes to that: nothing is restarted',
      facts: healthy({ namespaces, served, callouts: [webhook({ rules: [pods] })] }),
      problem: { breaks: false },
      expect: { edits: [edit(not('shop'))], fixes: [] },
    },
    {
      name: 'only its own where the rules name a version of Leases that is not served',
      facts: healthy({
        namespaces,
        served,
        callouts: [
          webhook({
            rules: [
              pods,
              {
                operations: ['UPDATE'],
                apiGroups: ['coordination.k8s.io'],
                apiVersions: ['v1alpha1'],
                resources: ['leases'],
                scope: '*',
              },
            ],
          }),
        ],
      }),
      expect: { edits: [edit(not('shop')), restart] },
    },
    {
      name: 'with the control plane where the rules cover everything',
      facts: healthy({ namespaces, served, callouts: [webhook({ rules: [everything] })] }),
      expect: { edits: [edit(not('shop', 'kube-system', 'kube-node-lease')), restart] },
    },
    {
      name: 'with the namespaces of the control plane where its rules reach their Leases',
      facts: healthy({
        namespaces,
        served,
        callouts: [
          webhook({
            rules: [
              pods,
              {
                ...everything,
                apiGroups: ['coordination.k8s.io'],
                resources: ['leases'],
                operations: ['UPDATE'],
              },
            ],
          }),
        ],
      }),
      expect: { edits: [edit(not('shop', 'kube-system', 'kube-node-lease')), restart] },
    },
    {
      name: 'the namespace of a network that its Pods wait for, where its own is left out already',
      facts: healthy({
        namespaces,
        served,
        callouts: [webhook({ rules: [pods], namespaceSelector: not('shop') })],
        ...agentRefused,
      }),
      expect: {
        edits: [{ ...edit(not('shop', 'kube-system')), expected: not('shop') }],
        warns: [/retry refused Pods in kube-system within about 17 minutes/],
      },
    },
    {
      name: 'that refuses only the restart of the workload whose Pods another webhook refuses',
      facts: healthy({
        namespaces,
        served,
        callouts: [
          webhook({
            rules: [{ ...pods, operations: ['UPDATE'], apiGroups: ['apps'], resources: ['deployments'] }],
          }),
        ],
      }),
      expect: { edits: [edit(not('shop')), restart] },
    },
    {
      name: 'only its own namespace, where its program is configured by Secrets that it is called for',
      facts: healthy({
        namespaces,
        served,
        callouts: [webhook({ rules: [{ ...pods, resources: ['secrets'] }] })],
      }),
      problem: { check: 'covers-own-configuration-path', breaks: false },
      expect: { edits: [edit(not('shop'))] },
    },
    {
      name: 'the same, where the rules match Pods, but not its own',
      facts: healthy({
        namespaces,
        served,
        callouts: [
          webhook({
            rules: [{ ...pods, resources: ['secrets', 'pods'] }],
            objectSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['policy'] }] },
          }),
        ],
      }),
      problem: { check: 'covers-own-configuration-path', breaks: false },
      expect: { edits: [edit(not('shop'))] },
    },
    {
      name: 'both, and its own Pods try again',
      facts: healthy({ namespaces, served, callouts: [webhook({ rules: [pods] })], ...agentRefused }),
      expect: {
        edits: [edit(not('shop', 'kube-system')), restart],
        warns: [/retry refused Pods in kube-system within about 17 minutes/],
      },
    },
    {
      name: 'its own if the rejected requests elsewhere are not needed',
      facts: healthy({
        namespaces: objects(namespace('shop'), namespace('other')),
        served,
        callouts: [webhook({ rules: [pods] })],
        ...refused('other', []),
      }),
      expect: { edits: [edit(not('shop')), restart] },
    },
  ],
  refuses: [
    {
      name: 'if the labels of the namespaces are unknown',
      facts: healthy({
        namespaces: forbidden(),
        served,
        callouts: [webhook({ rules: [pods], namespaceSelector: { matchLabels: { guarded: 'yes' } } })],
      }),
      because: /Fail open first/,
    },
  ],
  doesNotFit: [
    {
      name: 'it fails open',
      facts: healthy({ namespaces, served, callouts: [webhook({ failurePolicy: 'Ignore' })] }),
    },
    {
      name: 'its Pods wait for the update of a Node, which has no namespace',
      facts: healthy({
        namespaces,
        served,
        callouts: [
          webhook({ rules: [{ ...pods, operations: ['UPDATE'], resources: ['nodes', 'nodes/status'] }] }),
        ],
      }),
    },
    {
      name: 'its Pods wait for the update of a Node, and its rules cover everything',
      facts: healthy({ namespaces, served, callouts: [webhook({ rules: [everything] })] }),
      problem: { waitsForNodes: true },
    },
    { name: 'the Service does not exist', facts: healthy({ namespaces, served, services: objects() }) },
    { name: 'there is no selector', facts: healthy({ namespaces, callouts: [conversion()] }) },
  ],
  isUnknown: [
    {
      name: 'the workloads could not be read',
      facts: healthy({ namespaces, served, workloads: forbidden() }),
    },
  ],
});
