import { complete } from '../../../src/facts/lookup.ts';
import type { PodController } from '../../../src/facts/objects/pod-controller.ts';
import { excludeByCondition } from '../../../src/remedies/webhook/exclude-by-condition.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { conversion, healthy, lists, namespace, objects, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const ref = { kind: 'ValidatingWebhookConfiguration', name: 'policy', webhook: 'policy.example.com' };
const rule = (resources: readonly string[], apiGroups: readonly string[] = ['']) => ({
  operations: ['*'],
  apiGroups,
  apiVersions: ['*'],
  resources,
  scope: '*' as const,
});
const namespaces = objects(namespace('shop'), namespace('kube-system'));
const lease = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  kind: 'Lease',
  singular: 'lease',
  namespaced: true,
  verbs: ['update'],
};
const served = complete([
  [
    'served',
    {
      resources: [
        { ...lease, version: 'v1' },
        { ...lease, version: 'v1beta1' },
      ],
      stale: [],
    },
  ] as const,
]);
const around = { namespaces, served };
const everything = webhook({ rules: [rule(['*/*'], ['*'])] });
const onPods = webhook({ rules: [rule(['pods'])] });

const controlPlane =
  '(request.userInfo.username in ["system:kube-scheduler", "system:kube-controller-manager", "system:cloud-controller-manager", "system:apiserver"] || "system:serviceaccounts:kube-system" in request.userInfo.groups)';
const nodes = 'request.userInfo.groups.exists(group, group in ["system:nodes", "system:bootstrappers"])';
const leases = {
  name: 'exclude-leases',
  expression: 'request.resource.group != "coordination.k8s.io" || request.resource.resource != "leases"',
};
const ofNodes = { name: 'exclude-nodes', expression: `!${nodes}` };
const reports = {
  name: 'exclude-control-plane-reports',
  expression: `!(${controlPlane} && (request.resource.resource in ["nodes", "endpointslices", "events"] || has(request.subResource) && request.subResource in ["binding", "status"]))`,
};
const recovery = (...names: readonly string[]) => ({
  name: 'exclude-recovery',
  expression: `!(has(request.namespace) && request.namespace in ${JSON.stringify(names)} && (${controlPlane} || ${nodes}))`,
});
const breakGlass = {
  name: 'break-glass',
  expression:
    '!(has(request.namespace) && request.namespace in ["shop"] && authorizer.group("admissionregistration.k8s.io").resource("validatingwebhookconfigurations").name("policy").check("breakglass").allowed())',
};
const edit = (after: readonly object[], expected?: readonly object[]) => ({
  object: ref,
  operation: 'patch' as const,
  path: '/webhooks/0/matchConditions',
  expected,
  after,
});
const restart = {
  object: { kind: 'Deployment', namespace: 'shop', name: 'policy' },
  operation: 'restart' as const,
  afterPrevious: true as const,
};
const refusedAgent = {
  failedCreateEvents: lists({
    FailedCreate: [
      {
        metadata: { name: 'agent.1', namespace: 'kube-system' },
        involvedObject: { kind: 'DaemonSet', namespace: 'kube-system', name: 'agent' },
        reason: 'FailedCreate',
        message:
          'Error creating: Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.10:443: connect: connection refused',
      },
    ],
  }),
  podControllers: complete<PodController>([
    [
      'DaemonSet kube-system/agent',
      {
        kind: 'DaemonSet',
        metadata: { name: 'agent', namespace: 'kube-system' },
        spec: { template: { spec: { containers: [] } } },
        status: { desiredNumberScheduled: 1, currentNumberScheduled: 0 },
      },
    ],
  ]),
};
const own = { name: 'exclude-recovery', expression: 'true' };
const many = (count: number, expression: string) =>
  Array.from({ length: count }, (_, at) => ({ name: `c${at}`, expression }));
const toConfigure = { check: 'covers-own-configuration-path', breaks: false };
const onSecrets = (matchConditions: readonly { name: string; expression: string }[]) =>
  webhook({ rules: [rule(['secrets'])], matchConditions });

describeRemedy(excludeByCondition, {
  plans: [
    {
      name: 'what the control plane writes in its own namespace, and tries again',
      facts: healthy({ ...around, callouts: [onPods] }),
      expect: {
        edits: [edit([recovery('shop')]), restart],
        summary:
          /requests of the control plane and of nodes in shop; Deployment shop\/policy is restarted to retry/,
        fixes: ['validating/policy/policy.example.com'],
      },
    },
    {
      name: 'updates of Nodes, if its own Pods wait for one',
      facts: healthy({ ...around, callouts: [webhook({ rules: [rule(['nodes', 'nodes/status'])] })] }),
      expect: { edits: [edit([ofNodes, reports]), restart] },
    },
    {
      name: 'Leases as well where its rules cover everything',
      facts: healthy({ ...around, callouts: [everything] }),
      expect: { edits: [edit([recovery('shop'), leases]), restart] },
    },
    {
      name: 'updates of Nodes as well, if its own Pods wait for one and its rules cover everything',
      facts: healthy({ ...around, callouts: [everything] }),
      problem: { waitsForNodes: true },
      expect: { edits: [edit([recovery('shop'), leases, ofNodes, reports]), restart] },
    },
    {
      name: 'Pods that its own wait for, in their namespaces',
      facts: healthy({ ...around, callouts: [onPods], ...refusedAgent }),
      expect: { edits: [edit([recovery('shop', 'kube-system')]), restart] },
    },
    {
      name: 'only the condition that is missing, under a name that is free',
      facts: healthy({ ...around, callouts: [{ ...onPods, matchConditions: [own] }] }),
      expect: {
        edits: [edit([own, { ...recovery('shop'), name: 'exclude-recovery-1' }], [own]), restart],
      },
    },
    {
      name: 'Leases alone where nothing else of nodes and controllers is covered',
      facts: healthy({
        ...around,
        callouts: [
          webhook({
            rules: [{ ...rule(['leases'], ['coordination.k8s.io']), apiVersions: ['v1beta1'] }],
          }),
        ],
      }),
      problem: { check: 'covers-node-heartbeats' },
      expect: {
        edits: [edit([leases])],
        fixes: [],
        warns: [/^The webhook no longer checks Leases\.$/],
      },
    },
    {
      name: 'nodes, Leases and what the control plane reports',
      facts: healthy({ ...around, callouts: [everything] }),
      problem: { check: 'covers-everything' },
      expect: { edits: [edit([leases, ofNodes, reports])] },
    },
    {
      name: 'new Pods of the system that controllers make',
      facts: healthy({ ...around, callouts: [onPods] }),
      problem: { check: 'covers-system-namespaces' },
      expect: { edits: [edit([recovery('kube-system')])] },
    },
    {
      name: 'Pods of all backends where they wait for one another',
      facts: healthy({
        ...around,
        callouts: [
          onPods,
          webhook({ webhook: 'b', client: { service: { namespace: 'other', name: 'b', port: 443 } } }),
        ],
      }),
      problem: { check: 'deadlock-cycle' },
      expect: { edits: [edit([recovery('other', 'shop')])] },
    },
    {
      name: 'the break-glass group, in its own namespace',
      facts: healthy({ ...around, callouts: [onSecrets([])] }),
      problem: toConfigure,
      expect: { edits: [edit([breakGlass])], summary: /verb "breakglass" for this configuration/ },
    },
  ],
  refuses: [
    {
      name: 'where the release does not evaluate them',
      facts: healthy({ ...around, callouts: [onPods], version: 'v1.27.9' }),
      because: /1\.28 is the first release/,
    },
    {
      name: 'a 65th condition',
      facts: healthy({ ...around, callouts: [onSecrets(many(64, 'true'))] }),
      problem: toConfigure,
      because: /would have 65 matchConditions, and the API allows 64/,
    },
    {
      name: 'what the cost budget does not allow',
      facts: healthy({
        ...around,
        callouts: [onSecrets(many(7, 'authorizer.path("/healthz").check("get").allowed() || true'))],
      }),
      problem: toConfigure,
      because: /cost budget/,
    },
  ],
  doesNotFit: [
    {
      name: 'it fails open',
      facts: healthy({ ...around, callouts: [webhook({ failurePolicy: 'Ignore' })] }),
    },
    { name: 'there are no conditions', facts: healthy({ ...around, callouts: [conversion()] }) },
    {
      name: 'its conditions spare them already',
      facts: healthy({ ...around, callouts: [{ ...onPods, matchConditions: [recovery('shop')] }] }),
    },
    {
      name: 'the creator of the Pods is unknown',
      facts: healthy({ ...around, callouts: [onPods], workloads: complete([['shop', []]]) }),
    },
  ],
  isUnknown: [
    {
      name: 'the workloads could not be read',
      facts: healthy({ ...around, callouts: [onPods], workloads: forbidden() }),
    },
  ],
});
