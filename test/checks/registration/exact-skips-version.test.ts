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
  ],
  reportsNothing: [
    { name: 'both versions are in the rules', facts: on(['v1', 'v2']), outcome: 'pass' },
    { name: 'the rules match every version', facts: on(['*']), outcome: 'pass' },
    { name: 'no version of it is matched', facts: on(['v2beta1']), outcome: 'pass' },
    { name: 'matchPolicy is Equivalent', facts: on(['v1'], 'Equivalent'), outcome: 'not-applicable' },
  ],
  isUnknown: [{ name: 'discovery could not be read', facts: { ...on(['v1']), served: forbidden() } }],
});
