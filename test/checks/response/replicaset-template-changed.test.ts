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
/** The labels of an object, as a program in Go encodes it: with empty values that it did not have. */
const typed = patches([
  { op: 'add', path: '/metadata/labels', value: { team: 'a' } },
  { op: 'add', path: '/metadata/creationTimestamp', value: null },
  { op: 'add', path: '/spec/template/metadata/creationTimestamp', value: null },
  { op: 'add', path: '/spec/template/spec/securityContext', value: {} },
  { op: 'add', path: '/spec/template/spec/volumes', value: [] },
]);
const team = patches([{ op: 'add', path: '/spec/template/metadata/labels/team', value: 'a' }]);
/** Another webhook of the same program, whose test object is a Deployment, or another one. */
const beside = (facts: Partial<Facts>, kind: string, reply: Tried, program = 'policy'): Partial<Facts> => {
  const [base = webhook()] = facts.callouts ?? [];
  const { service } = base.client;
  const other = {
    ...webhook({ kind: 'mutating', webhook: 'second.example.com' }),
    ...(service === undefined ? {} : { client: { service: { ...service, name: program } } }),
  };
  const replies = tried([of(kind, {}, reply)], { facts: { callouts: [other] } });
  const [slices, services] = [facts.endpointSlices, facts.services].map((all) => [...(all?.entries() ?? [])]);
  return {
    ...facts,
    callouts: [base, other],
    services: complete([...(services ?? []), [`shop/${program}`, services?.[0]?.[1]]] as never),
    endpointSlices: complete([...(slices ?? []), [`shop/${program}`, slices?.[0]?.[1]]] as never),
    probes: complete([...(facts.probes?.entries() ?? []), ...(replies.probes?.entries() ?? [])]),
  };
};
/** The same after an update of a stored Deployment. */
const stored = ({ samples, ...facts }: Partial<Facts>, reply: Tried): Partial<Facts> => ({
  ...facts,
  samples: complete(
    [...(samples?.entries() ?? [])].map(([id, all]) => [
      id,
      [...all, { ...sample('Deployment', undefined, [reply]), by: 'stored' as const }],
    ]),
  ),
});
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
      expect: { messageId: 'changedAlone', severity: 'warning' },
    },
    {
      name: 'a label that another webhook of its Service adds to other objects',
      facts: beside(called([team]), 'StatefulSet', team),
      expect: { messageId: 'changedAlone' },
    },
    {
      name: 'a label, while another webhook of its Service changes something else in Deployments',
      facts: beside(called([team]), 'Deployment', grace),
      expect: { messageId: 'changed', severity: 'error' },
    },
    {
      name: 'a label, while a stored Deployment has it already',
      facts: stored(called([team]), allows),
      expect: { messageId: 'changedAlone' },
    },
    {
      name: 'a label that a webhook of another Service adds to Deployments',
      facts: beside(called([team]), 'Deployment', team, 'other'),
      expect: { messageId: 'changedAlone' },
    },
  ],
  reportsNothing: [
    { name: 'ReplicaSets are not changed', facts: called([allows], [grace]), outcome: 'pass' },
    { name: 'only metadata is changed', facts: called([label], [allows]), outcome: 'pass' },
    { name: 'only empty values are added to the template', facts: called([typed]), outcome: 'pass' },
    {
      name: 'another webhook of its Service adds the same label to Deployments',
      facts: beside(called([team]), 'Deployment', team),
      outcome: 'pass',
    },
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
