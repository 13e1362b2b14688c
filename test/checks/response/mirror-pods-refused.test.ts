import { mirrorPodsRefused } from '../../../src/checks/response/mirror-pods-refused.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod, webhook } from '../../support/snapshot.ts';
import { allows, blind, denies, patches, quiet, sampled, type Tried, tried } from '../probed.ts';

const object = {
  kind: 'Pod',
  metadata: { name: 'probe' },
  spec: { containers: [{ name: 'probe' }], volumes: [] },
};
const ofPod = ({ dialogues = [], ...reached }: Tried): Tried => ({
  ...reached,
  dialogues: dialogues.map((one) => ({
    ...one,
    reviews: one.reviews.map((review) => ({ ...review, object, resource: 'pods' })),
  })),
});
/** The response to the test Pod, and those to its mirror Pod. */
const called = (
  pod: Tried,
  mirrors: readonly Tried[],
  kind: 'validating' | 'mutating' = 'mutating',
): Partial<Facts> =>
  sampled(
    tried(
      mirrors.map(() => ofPod(pod)),
      { facts: { callouts: [webhook({ kind })] } },
    ),
    mirrors.map(ofPod),
    { object: { kind: 'Pod', namespace: 'kube-system', name: 'probe' }, by: 'made-up', role: 'mirror-pod' },
  );
/** A cluster whose API server is a static Pod. */
const withStatic = (
  facts: Partial<Facts>,
  annotations: Record<string, string> = { 'kubernetes.io/config.mirror': 'x' },
) => ({
  ...facts,
  apiServerPods: lists({ 'kube-apiserver': [pod({ metadata: { name: 'kube-apiserver-a', annotations } })] }),
});
const hostNetwork = denies('hostNetwork is not allowed');
const adds = (path: string, value: unknown): Tried => patches([{ op: 'add', path, value }]);
const pullSecret = adds('/spec/imagePullSecrets', [{ name: 'registry' }]);

describeCheck(mirrorPodsRefused, {
  reports: [
    {
      name: 'a denial of the mirror Pod only',
      facts: withStatic(called(allows, [denies('no ServiceAccount')], 'validating')),
      expect: {
        messageId: 'denied',
        severity: 'warning',
        confidence: 'observed',
        data: { replicas: 'Pod policy-1', detail: 'no ServiceAccount' },
      },
    },
    {
      name: 'a patch that adds a pull Secret',
      facts: withStatic(called(pullSecret, [pullSecret])),
      expect: {
        messageId: 'changed',
        severity: 'warning',
        data: { replicas: 'Pod policy-1', fields: 'imagePullSecrets' },
      },
    },
    ...Object.entries<Partial<Facts>>({
      'a cluster whose API server is no Pod': called(allows, [hostNetwork], 'validating'),
      'a cluster whose API server is no static Pod': withStatic(
        called(allows, [hostNetwork], 'validating'),
        {},
      ),
    }).map(([name, facts]) => ({
      name: `a denial as information in ${name}`,
      facts,
      expect: { messageId: 'denied', severity: 'info' as const },
    })),
    {
      name: 'a patch that adds a volume',
      facts: called(allows, [
        adds('/spec/volumes/-', { name: 'ca', projected: { sources: [{ configMap: { name: 'ca' } }] } }),
      ]),
      expect: { messageId: 'changed', data: { replicas: 'Pod policy-1', fields: 'configMap' } },
    },
  ],
  reportsNothing: [
    { name: 'mirror Pods are admitted', facts: called(allows, [allows]), outcome: 'pass' },
    {
      name: 'a label is added',
      facts: called(allows, [adds('/metadata/labels', { team: 'a' })]),
      outcome: 'pass',
    },
    {
      name: 'other Pods get a reference, and mirror Pods do not',
      facts: called(pullSecret, [allows]),
      outcome: 'pass',
    },
    {
      name: 'all test Pods are denied, for example because of their image',
      facts: called(denies('no image of this registry'), [denies('no image of this registry')]),
      outcome: 'pass',
    },
    {
      name: 'one of two replicas denies it',
      facts: called(allows, [denies('no'), allows]),
      outcome: 'pass',
    },
    ...quiet,
  ],
  isUnknown: blind,
});
