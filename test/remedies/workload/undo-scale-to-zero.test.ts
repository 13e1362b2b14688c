import { complete } from '../../../src/facts/lookup.ts';
import type { Autoscaler } from '../../../src/facts/objects/scaling.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { undoScaleToZero } from '../../../src/remedies/workload/undo-scale-to-zero.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { healthy, lists, objects, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const edit = (after: number, kind = 'Deployment') => ({
  object: { kind, namespace: 'shop', name: 'policy' },
  operation: 'scale' as const,
  path: '/spec/replicas',
  expected: 0,
  after,
});

const autoscaler = (name: string, minReplicas?: number): Autoscaler => ({
  metadata: { namespace: 'shop', name },
  spec: {
    scaleTargetRef: { kind: 'Deployment', name },
    maxReplicas: 4,
    ...(minReplicas === undefined ? {} : { minReplicas }),
  },
});
const atZero = (over: Partial<Facts>, metadata: object = {}): Partial<Facts> =>
  healthy({ workloads: lists({ shop: [workload({ spec: { replicas: 0 }, metadata })] }), ...over });

const served = complete([['served', { resources: [], stale: [] }] as const]);
const covering = (group: string, version: string, resource: string) =>
  webhook({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
    rules: [
      { operations: ['*'], apiGroups: [group], apiVersions: [version], resources: [resource], scope: '*' },
    ],
  });

describeRemedy(undoScaleToZero, {
  plans: [
    {
      name: 'one replica where nothing shows how many there were',
      facts: healthy({ workloads: lists({ shop: [workload({ spec: { replicas: 0 } })] }) }),
      expect: {
        edits: [edit(1)],
        fixes: ['validating/policy/policy.example.com'],
        summary: /is scaled from 0 to 1$/,
      },
    },
    {
      name: 'the previous number if an annotation has it, and who scaled it',
      facts: healthy({
        workloads: lists({
          shop: [
            workload({
              kind: 'StatefulSet',
              spec: { replicas: 0 },
              metadata: {
                annotations: { 'downscaler/original-replicas': '3' },
                managedFields: [
                  { manager: 'py-kube-downscaler', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
                ],
              },
            }),
          ],
        }),
      }),
      expect: { edits: [edit(3, 'StatefulSet')], warns: [/scaled to zero by py-kube-downscaler/] },
    },
    {
      name: 'no manager that may scale it again, if the client sent no name',
      facts: healthy({
        workloads: lists({
          shop: [
            workload({
              spec: { replicas: 0 },
              metadata: {
                managedFields: [{ manager: 'unknown', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
              },
            }),
          ],
        }),
      }),
      expect: { edits: [edit(1)], summary: /is scaled from 0 to 1$/ },
    },
    {
      name: 'as many as its autoscaler wants at least, which decides from then on',
      facts: atZero({ autoscalers: lists({ shop: [autoscaler('other', 5), autoscaler('policy', 2)] }) }),
      expect: {
        edits: [edit(2)],
        warns: [/HorizontalPodAutoscaler shop\/policy scales it .* 2 to 4 replicas/],
      },
    },
    {
      name: 'one, where the autoscaler wants none at least',
      facts: atZero({ autoscalers: lists({ shop: [autoscaler('policy', 0)] }) }),
      expect: { edits: [edit(1)], warns: [/0 to 4 replicas/] },
    },
    {
      name: 'no more than the autoscaler allows, whatever there were',
      facts: atZero(
        { autoscalers: lists({ shop: [autoscaler('policy')] }) },
        { annotations: { 'downscaler/original-replicas': '9' } },
      ),
      expect: { edits: [edit(4)], warns: [/1 to 4 replicas/] },
    },
    {
      name: 'one, where the rules do not cover new Pods in the version that is served',
      facts: atZero({ served, callouts: [covering('', 'v2', 'pods')] }),
      expect: { edits: [edit(1)] },
    },
    {
      name: 'one, and reports that autoscalers could not be read',
      facts: atZero({ autoscalers: forbidden('horizontalpodautoscalers') }),
      expect: { edits: [edit(1)], warns: [/It is unknown whether a HorizontalPodAutoscaler/] },
    },
  ],
  refuses: (
    [
      ['', 'v1', 'pods'],
      ['apps', 'v1', 'deployments/scale'],
    ] as const
  ).map(([group, version, resource]) => ({
    name: `where ${resource} must pass the webhook itself, which fails`,
    facts: atZero({ served, callouts: [covering(group, version, resource)] }),
    because: /^policy\.example\.com intercepts new Pods.*exclude-backend-namespace/,
  })),
  doesNotFit: [
    { name: 'it has replicas', facts: healthy() },
    { name: 'nothing makes the Pods', facts: healthy({ workloads: lists({}) }) },
    { name: 'the Service does not exist', facts: healthy({ services: objects() }) },
    {
      name: 'a URL is called',
      facts: healthy({ callouts: [webhook({ client: { url: 'https://a.example' } })] }),
    },
    {
      name: 'two workloads make the Pods',
      facts: healthy({
        workloads: lists({
          shop: [
            workload({ spec: { replicas: 0 } }),
            workload({ spec: { replicas: 0 }, metadata: { name: 'other' } }),
          ],
        }),
      }),
    },
  ],
  isUnknown: [{ name: 'the workloads could not be read', facts: healthy({ workloads: forbidden() }) }],
});
