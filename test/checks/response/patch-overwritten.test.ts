import { leafDigest } from '../../../src/apiserver/patch/leaves.ts';
import { patchOverwritten } from '../../../src/checks/response/patch-overwritten.ts';
import { type AdmissionCallout, calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { CalloutProbes } from '../../../src/facts/probes.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, service, slice, webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';
import { dryRun, patches, quiet, replica, responding, tried } from '../probed.ts';
import { endpointOf } from '../replica/replicas.ts';

const mutating = (name: string, over: Partial<AdmissionCallout> = {}): AdmissionCallout =>
  webhook({
    kind: 'mutating',
    ref: { kind: 'MutatingWebhookConfiguration', name, webhook: `${name}.example.com` },
    configuration: name,
    webhook: `${name}.example.com`,
    client: { service: { namespace: 'shop', name, port: 443 }, caBundle: webhook().client.caBundle ?? '' },
    ...over,
  }) as AdmissionCallout;

interface Case {
  /** Value of the label `tier` that each of two webhooks sets, in call order. */
  readonly set: readonly [string, string];
  /** Values of the created object, JSON by path. */
  readonly result: Readonly<Record<string, string>>;
  readonly over?: readonly [Partial<AdmissionCallout>, Partial<AdmissionCallout>];
  /** Labels of the test object. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly patch?: (value: string) => readonly object[];
}

const [pod] = [replica(1)];
const setTier = (value: string) => [{ op: 'add', path: '/metadata/labels', value: { tier: value } }];

/** Two webhooks with one Pod each, the probes of both, and the API server's dry run. */
function two({ set, result, over = [{}, {}], labels, patch = setTier }: Case): Partial<Facts> {
  const callouts = (['a', 'b'] as const).map((name, at) => mutating(name, over[at]));
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'probe', ...(labels && { labels }) },
  };
  const probes = callouts.map((callout, at): readonly [string, CalloutProbes] => {
    const answer = patches(patch(set[at] ?? '')).dialogues?.[0]?.reviews[0]?.answer;
    const one = answer === undefined ? {} : responding(answer, { object });
    const [found] = [...(tried([one]).probes?.all() ?? [])];
    if (found === undefined) throw new Error('nothing was probed');
    return [
      calloutId(callout),
      {
        ...found,
        dryRun: { ...dryRun(), result: Object.entries(result).map(([path, json]) => leafDigest(path, json)) },
      },
    ];
  });
  const keys = callouts.map(({ client }) => `shop/${client.service?.name}`);
  return {
    callouts,
    services: complete(keys.map((key) => [key, service()])),
    endpointSlices: lists(
      Object.fromEntries(keys.map((key) => [key, [slice(pod ? [endpointOf(pod, true)] : [])]])),
    ),
    pods: lists(Object.fromEntries(keys.map((key) => [key, pod ? [pod] : []]))),
    probes: complete(probes),
    routing: { mode: undefined },
    clock: undefined,
    version: 'v1.35.4',
  };
}
const field = 'metadata.labels.tier';
const data = {
  webhook: 'a.example.com',
  fields: field,
  resource: 'configmaps',
  later: 'b.example.com',
};
const result = { [field]: '"silver"' };
const set = ['gold', 'silver'] as const;
const silent = (name: string, given: Partial<Case>) =>
  ({ name, facts: two({ set, result, ...given }), outcome: 'pass' }) as const;

const finalizers = (json: string) => [{ op: 'add', path: '/metadata/finalizers', value: JSON.parse(json) }];
const labelNames = Array.from({ length: 200 }, (_, number) => `l${number}`);
const labelsOf = (value: string) =>
  Object.fromEntries(labelNames.map((name) => [`metadata.labels.${name}`, JSON.stringify(value)]));
const manyLabels = (value: string) => [
  { op: 'add', path: '/metadata/labels', value: Object.fromEntries(labelNames.map((name) => [name, value])) },
];

describeCheck(patchOverwritten, {
  reports: [
    {
      name: 'a value of the test object that two webhooks replace',
      facts: two({ set, result, labels: { tier: 'none' } }),
      expect: { messageId: 'replaces', confidence: 'observed', data },
    },
    {
      name: 'a missing value that the later webhook replaces',
      facts: two({ set, result }),
      expect: { messageId: 'adds', data },
    },
    {
      name: 'a value of two webhooks that are both called again',
      facts: two({
        set,
        result,
        over: [{ reinvocationPolicy: 'IfNeeded' }, { reinvocationPolicy: 'IfNeeded' }],
      }),
      expect: { messageId: 'adds' },
    },
    {
      name: 'a list that loses an item',
      facts: two({
        set: ['["a","b"]', '["b"]'],
        result: { 'metadata.finalizers': '["b"]' },
        patch: finalizers,
      }),
      expect: { messageId: 'adds', data: { ...data, fields: 'metadata.finalizers' } },
    },
    {
      name: 'many fields of two webhooks in one finding, without their values',
      facts: two({ set, result: labelsOf('silver'), patch: manyLabels }),
      expect: {
        messageId: 'adds',
        data: { ...data, fields: 'metadata.labels.l0, metadata.labels.l1 and 198 more' },
      },
    },
  ],
  reportsNothing: [
    ...quiet.slice(1),
    silent('the later list has all items of the earlier one', {
      set: ['["a"]', '["b","a"]'],
      result: { 'metadata.finalizers': '["b","a"]' },
      patch: finalizers,
    }),
    silent('items with other orders of keys', {
      set: ['[{"key":"x","effect":"y"}]', '[{"effect":"y","key":"x"},{"key":"z"}]'],
      result: { 'metadata.finalizers': '[{"effect":"y","key":"x"},{"key":"z"}]' },
      patch: finalizers,
    }),
    silent('both are the same quantity', { set: ['1024Mi', '1Gi'], result: { [field]: '"1Gi"' } }),
    ...[
      { path: '/metadata/annotations', key: 'metadata.annotations.tier' },
      { path: '/stringData', key: 'stringData.tier' },
      { path: '/data', key: 'data.tier' },
    ].map(({ path, key }) =>
      silent(`the values may be secret: ${key}`, {
        result: { [key]: '"silver"' },
        patch: (value) => [{ op: 'add', path, value: { tier: value } }],
      }),
    ),
    silent('the values of a variable may be secret', {
      result: { 'spec.containers[web].env[TOKEN].value': '"silver"' },
      patch: (value) => [
        {
          op: 'add',
          path: '/spec',
          value: { containers: [{ name: 'web', env: [{ name: 'TOKEN', value }] }] },
        },
      ],
    }),
    silent('both set the same value', { set: ['silver', 'silver'] }),
    silent('the later one leaves a value that exists', { result: { [field]: '"gold"' } }),
    silent('a third one decides', { result: { [field]: '"bronze"' } }),
    silent('nothing is known of the result', { result: {} }),
    silent('they set different labels', {
      result: { [field]: '"silver"', 'metadata.labels.gold': '"x"' },
      patch: (value) => [{ op: 'add', path: '/metadata/labels', value: { [value]: 'x' } }],
    }),
    silent('they add items of one list', {
      result: { 'metadata.finalizers': '["example.com/gold","example.com/silver"]' },
      patch: (value) => [{ op: 'add', path: '/metadata/finalizers', value: [`example.com/${value}`] }],
    }),
    silent('both are one program', {
      over: [{}, { client: { service: { namespace: 'shop', name: 'a', port: 443 } } }],
    }),
    silent('the earlier one is called again, and leaves the value', {
      over: [{ reinvocationPolicy: 'IfNeeded' }, {}],
    }),
  ],
  isUnknown: [
    { name: 'probes failed', facts: { ...two({ set, result }), probes: forbidden<CalloutProbes>('probes') } },
  ],
});
