import { replicasetTemplateChanged } from '../../../src/checks/response/replicaset-template-changed.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { SampledObject } from '../../../src/facts/sample.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { webhook } from '../../support/snapshot.ts';
import { allows, blind, patches, quiet, type Tried, tried } from '../probed.ts';

const callout = webhook({ kind: 'mutating' });
const of = (kind: string, labels: object, { dialogues = [], ...reached }: Tried): Tried => ({
  ...reached,
  dialogues: dialogues.map((one) => ({
    ...one,
    reviews: one.reviews.map((review) => ({
      ...review,
      resource: `${kind.toLowerCase()}s.apps`,
      object: {
        kind,
        metadata: { name: 'probe' },
        spec: { template: { metadata: { labels: { app: 'a', ...labels } }, spec: { containers: [] } } },
      },
    })),
  })),
});
const sample = (kind: string, role: SampledObject['role'], replies: readonly Tried[]): SampledObject => {
  const hash = role === 'owned-replicaset' ? { 'pod-template-hash': 'x' } : {};
  const replicas = replies.map((reply) => of(kind, hash, reply));
  const [probes] = [...(tried(replicas, { facts: { callouts: [callout] } }).probes?.all() ?? [])];
  return {
    object: { kind, namespace: 'shop', name: 'probe' },
    by: 'made-up',
    operation: 'CREATE',
    admitted: false,
    ...(role === undefined ? {} : { role }),
    ...(probes === undefined ? {} : { probes }),
  };
};
const called = (replicaSet: readonly Tried[], deployment?: readonly Tried[]): Partial<Facts> => ({
  ...tried(
    replicaSet.map(() => allows),
    { facts: { callouts: [callout] } },
  ),
  samples: complete([
    [
      calloutId(callout),
      [
        sample('ReplicaSet', 'owned-replicaset', replicaSet),
        ...(deployment === undefined ? [] : [sample('Deployment', 'owner-of-replicaset', deployment)]),
      ],
    ],
  ]),
});
const grace = patches([{ op: 'add', path: '/spec/template/spec/terminationGracePeriodSeconds', value: 7 }]);
const label = patches([{ op: 'add', path: '/metadata/labels', value: { team: 'a' } }]);

describeCheck(replicasetTemplateChanged, {
  reports: [
    {
      name: 'a change of the template of ReplicaSets alone',
      facts: called([grace], [allows]),
      expect: { messageId: 'changed', confidence: 'observed', data: { replicas: 'Pod policy-1' } },
    },
    {
      name: 'the same, if the webhook is not called for Deployments',
      facts: called([grace, grace]),
      expect: { messageId: 'changed' },
    },
  ],
  reportsNothing: [
    { name: 'ReplicaSets are not changed', facts: called([allows], [grace]), outcome: 'pass' },
    { name: 'only metadata is changed', facts: called([label], [allows]), outcome: 'pass' },
    { name: 'Deployments are changed in the same way', facts: called([grace], [grace]), outcome: 'pass' },
    {
      name: 'one of two replicas changes it',
      facts: called([grace, allows], [allows, allows]),
      outcome: 'pass',
    },
    ...quiet,
  ],
  isUnknown: blind,
});
