import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { Pod } from '../../../src/facts/objects/pod.ts';
import type { PodController, PodControllerKind } from '../../../src/facts/objects/pod-controller.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { restoreScheduler } from '../../../src/remedies/workload/restore-scheduler.ts';
import { describeRemedy } from '../../support/describe-remedy.ts';
import { lists, webhook } from '../../support/snapshot.ts';

const nobody = 'wave.pusher.com/invalid';
const key = 'wave.pusher.com/scheduling-disabled';
const pod = (kind: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: {
    name: 'cart-0',
    namespace: 'shop',
    ...(kind === 'Deployment' ? { labels: { 'pod-template-hash': '5d9' } } : {}),
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: kind === 'Deployment' ? 'ReplicaSet' : kind,
        name: kind === 'Deployment' ? 'cart-5d9' : 'cart',
        uid: 'u',
        controller: true,
      },
    ],
  },
  spec: { containers: [], schedulerName: nobody, ...spec },
  status: { phase: 'Pending' },
});
const maker = (kind: PodControllerKind, schedulerName?: string, metadata: object = {}): PodController => ({
  kind,
  metadata: { name: 'cart', namespace: 'shop', ...metadata },
  spec: { template: { spec: { containers: [], ...(schedulerName === undefined ? {} : { schedulerName }) } } },
});
const rules = [
  {
    operations: ['CREATE', 'UPDATE'],
    apiGroups: ['', 'apps', 'batch'],
    apiVersions: ['v1'],
    resources: ['*'],
    scope: '*' as const,
  },
];
const parking = (product: string, over: Partial<AdmissionCallout> = {}) =>
  webhook({
    kind: 'mutating',
    ref: { kind: 'MutatingWebhookConfiguration', name: product, webhook: `all.${product}` },
    configuration: product,
    webhook: `all.${product}`,
    rules,
    ...over,
  });
const facts = (
  kind: PodControllerKind,
  one: PodController,
  spec: Partial<Pod['spec']> = {},
): Partial<Facts> => ({
  callouts: [parking('wave.pusher.com')],
  pendingPods: lists({ Pending: [pod(kind, spec)] }),
  podControllers: complete([[`${kind} shop/cart`, one] as const]),
});
const strangers = <T extends { readonly metadata: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'store' },
});
const patch = (kind: string, after: string) => ({
  object: { kind, namespace: 'shop', name: 'cart' },
  operation: 'patch' as const,
  path: '/spec/template/spec/schedulerName',
  expected: nobody,
  after,
});

describeRemedy(restoreScheduler, {
  plans: [
    {
      name: 'the default one, where nothing kept another',
      facts: facts('Deployment', maker('Deployment', nobody)),
      expect: {
        edits: [patch('Deployment', 'default-scheduler')],
        fixes: [],
        warns: [/holds the Pods again/],
      },
    },
    {
      name: 'the one that the annotation keeps, and takes the annotation away',
      facts: facts('Deployment', maker('Deployment', nobody, { annotations: { [key]: 'my-scheduler' } })),
      expect: {
        edits: [
          patch('Deployment', 'my-scheduler'),
          {
            object: { kind: 'Deployment', namespace: 'shop', name: 'cart' },
            operation: 'patch',
            path: '/metadata/annotations/wave.pusher.com~1scheduling-disabled',
            expected: 'my-scheduler',
            after: undefined,
          },
        ],
        warns: [/holds the Pods again/],
      },
    },
    {
      name: 'only what this webhook may have held',
      facts: {
        callouts: [parking('wave.pusher.com'), parking('other.example.com')],
        pendingPods: lists({
          Pending: [
            pod('Deployment'),
            strangers(pod('Deployment', { schedulerName: 'other.example.com/never' })),
          ],
        }),
        podControllers: complete([
          ['Deployment shop/cart', maker('Deployment', nobody)],
          ['Deployment store/cart', strangers(maker('Deployment', 'other.example.com/never'))],
        ]),
      },
      expect: { edits: [patch('Deployment', 'default-scheduler')], warns: [/holds the Pods again/] },
    },
    {
      name: 'that of a StatefulSet, whose Pod stays in the way',
      facts: facts('StatefulSet', maker('StatefulSet', nobody)),
      expect: {
        edits: [patch('StatefulSet', 'default-scheduler')],
        warns: [/holds the Pods/, /delete that Pod/],
      },
    },
  ],
  refuses: [
    {
      name: 'a Pod that was held directly',
      facts: facts('Deployment', maker('Deployment')),
      because: /cannot be changed/,
    },
    { name: 'a Job', facts: facts('Job', maker('Job', nobody)), because: /create it again/ },
    {
      name: 'a gate',
      facts: facts('Deployment', maker('Deployment'), {
        schedulerName: 'default-scheduler',
        schedulingGates: [{ name: 'g' }],
      }),
      because: /cannot be added again/,
    },
  ],
  doesNotFit: [
    {
      name: 'no Pod waits so',
      facts: { callouts: [webhook()], pendingPods: lists({ Pending: [] }), podControllers: complete([]) },
    },
    {
      name: 'the webhook is not asked about Pods',
      facts: {
        ...facts('Deployment', maker('Deployment', nobody)),
        callouts: [webhook({ kind: 'mutating', rules: [] })],
      },
    },
    {
      name: 'the webhook leaves the namespace out',
      facts: {
        ...facts('Deployment', maker('Deployment', nobody)),
        callouts: [parking('wave.pusher.com', { namespaceSelector: { matchLabels: { wave: 'yes' } } })],
        namespaces: complete([['shop', { metadata: { name: 'shop' } }]]),
      },
    },
    {
      name: 'the webhook matches another version alone',
      facts: {
        ...facts('Deployment', maker('Deployment', nobody)),
        callouts: [
          parking('wave.pusher.com', { rules: rules.map((rule) => ({ ...rule, apiVersions: ['v1beta2'] })) }),
        ],
      },
    },
  ],
  isUnknown: [
    {
      name: 'Pods were not read',
      facts: { callouts: [webhook()], pendingPods: nothingRead({ what: 'Pods', why: 'not-requested' }) },
    },
  ],
});
