import { exactSkipsVersion } from '../../../src/checks/registration/exact-skips-version.ts';
import { complete } from '../../../src/facts/lookup.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const scaler = (version: string) => ({
  group: 'autoscaling',
  version,
  resource: 'horizontalpodautoscalers',
  kind: 'HorizontalPodAutoscaler',
  singular: 'horizontalpodautoscaler',
  namespaced: true,
  verbs: ['create'],
});
const served = complete([
  [
    'served',
    {
      resources: [
        scaler('v1'),
        scaler('v2'),
        { ...scaler('v1'), group: '', resource: 'pods', kind: 'Pod', singular: 'pod' },
      ],
      stale: [],
    },
  ] as const,
]);
const on = (apiVersions: readonly string[], matchPolicy: 'Exact' | 'Equivalent' = 'Exact') => ({
  served,
  callouts: [
    webhook({
      matchPolicy,
      rules: [
        {
          operations: ['CREATE'],
          apiGroups: ['autoscaling'],
          apiVersions,
          resources: ['horizontalpodautoscalers'],
        },
      ],
    }),
  ],
});

const widget = (version: string) => ({
  group: 'example.com',
  version,
  resource: 'widgets',
  kind: 'Widget',
  singular: 'widget',
  namespaced: true,
  verbs: ['create'],
});
/** A webhook with matchPolicy Exact for these versions of all resources. */
const exact = (apiVersions: readonly string[], over: Parameters<typeof webhook>[0] = {}) =>
  webhook({
    matchPolicy: 'Exact',
    rules: [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions, resources: ['*'] }],
    ...over,
  });
const inVersions = (...versions: readonly string[]) =>
  complete([['served', { resources: versions.map(widget), stale: [] }] as const]);

describeCheck(exactSkipsVersion, {
  reports: [
    {
      name: 'one of two served versions',
      facts: on(['v1']),
      expect: {
        messageId: 'skipped',
        data: {
          skipped: 'horizontalpodautoscalers in autoscaling/v2',
          webhook: 'policy.example.com',
          matched: 'v1',
        },
      },
    },
    {
      name: 'all versions that the rules match',
      facts: {
        served: inVersions('v1', 'v1beta1', 'v2'),
        callouts: [exact(['v1', 'v1beta1'])],
      },
      expect: {
        messageId: 'skipped',
        data: {
          skipped: 'widgets in example.com/v2',
          webhook: 'policy.example.com',
          matched: 'v1 and v1beta1',
        },
      },
    },
    {
      name: 'resources apart whose matched versions differ',
      facts: {
        served: complete([
          [
            'served',
            {
              resources: [scaler('v1'), scaler('v2'), widget('v1'), widget('v1beta1'), widget('v3')],
              stale: [],
            },
          ] as const,
        ]),
        callouts: [exact(['v1', 'v1beta1'])],
      },
      expect: [
        {
          messageId: 'skipped',
          data: {
            skipped: 'horizontalpodautoscalers in autoscaling/v2',
            webhook: 'policy.example.com',
            matched: 'v1',
          },
        },
        {
          messageId: 'skipped',
          data: {
            skipped: 'widgets in example.com/v3',
            webhook: 'policy.example.com',
            matched: 'v1 and v1beta1',
          },
        },
      ],
    },
  ],
  reportsNothing: [
    {
      name: 'another webhook of the configuration matches the version',
      facts: {
        served: inVersions('v1', 'v1beta1', 'v2'),
        callouts: [
          exact(['v1', 'v1beta1'], { webhook: 'v1.kb.io' }),
          exact(['v2'], { webhook: 'v2.kb.io', index: 1 }),
        ],
      },
      outcome: 'pass',
    },
    {
      name: 'a webhook of another configuration with the same Service matches the version',
      facts: {
        served: inVersions('v1', 'v2'),
        callouts: [exact(['v1']), exact(['v2'], { configuration: 'other' })],
      },
      outcome: 'pass',
    },
    { name: 'both versions are in the rules', facts: on(['v1', 'v2']), outcome: 'pass' },
    { name: 'the rules match every version', facts: on(['*']), outcome: 'pass' },
    { name: 'no version of it is matched', facts: on(['v2beta1']), outcome: 'pass' },
    { name: 'matchPolicy is Equivalent', facts: on(['v1'], 'Equivalent'), outcome: 'not-applicable' },
  ],
  isUnknown: [{ name: 'discovery could not be read', facts: { ...on(['v1']), served: forbidden() } }],
});
