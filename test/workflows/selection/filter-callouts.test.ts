import { expect } from 'chai';
import type { AdmissionCallout } from '../../../src/facts/callout.ts';
import { calloutId } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import { parseLabelSelector } from '../../../src/facts/objects/label-selector-text.ts';
import type { Namespace } from '../../../src/facts/objects/namespace.ts';
import type { ServedResource } from '../../../src/facts/served-resources.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { CalloutNameError } from '../../../src/workflows/selection/choose-callouts.ts';
import { type CalloutFilter, selectedCallouts } from '../../../src/workflows/selection/filter-callouts.ts';
import { aggregatedApi, conversion, snapshotOf, webhook } from '../../support/snapshot.ts';

const namespace = (name: string, labels = {}): readonly [string, Namespace] => [
  name,
  { metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } } } as Namespace,
];
const resource = (group: string, version: string, plural: string, namespaced: boolean): ServedResource => ({
  ...{ group, version, resource: plural, kind: plural, singular: '', namespaced, verbs: ['create'] },
});
const named = (name: string, over: Partial<AdmissionCallout>): AdmissionCallout =>
  webhook({ ...over, configuration: name, ref: { kind: 'ValidatingWebhookConfiguration', name } });
const rules = (plural: string, scope: '*' | 'Cluster' = '*') => [
  { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: [plural], scope },
];

const callouts = [
  named('everywhere', { rules: rules('*') }),
  named('elsewhere', {
    client: { service: { namespace: 'other', name: 'policy', port: 443 } },
    metadata: { name: 'elsewhere', labels: { app: 'policy', tier: 'two' } },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } },
  }),
  named('nodes', { rules: rules('nodes') }),
  named('cluster-scoped', { rules: rules('configmaps', 'Cluster') }),
  named('namespaces', { rules: rules('namespaces') }),
  conversion(),
  conversion({ resource: { group: 'g', plural: 'p', kind: 'K', scope: 'Cluster' }, configuration: 'p.g' }),
  aggregatedApi(),
];
const facts = snapshotOf({
  callouts,
  namespaces: complete([namespace('shop'), namespace('other')]),
  served: complete([
    [
      'served',
      {
        resources: [
          resource('', 'v1', 'configmaps', true),
          resource('', 'v1', 'nodes', false),
          resource('', 'v1', 'namespaces', false),
        ],
        stale: [],
      },
    ],
  ]),
}).facts;

const asked = (filter: CalloutFilter, names: readonly string[] = [], given: Facts = facts) =>
  selectedCallouts(given, { callouts: names, filter }, []).chosen.map((callout) =>
    calloutId(callout).split('/').slice(0, 2).join('/'),
  );

describe('the webhooks that -n, -l and --affecting select', () => {
  it('-n: those whose backend is in the namespace', () => {
    expect(asked({ namespace: 'other' })).to.deep.equal(['validating/elsewhere']);
    expect(asked({ namespace: 'shop' })).not.to.include('validating/elsewhere');
  });
  it('-n: one whose namespace was deleted is shown; a namespace that never existed is an error', () => {
    const gone = { ...facts, namespaces: complete([namespace('shop')]) };
    expect(asked({ namespace: 'other' }, [], gone)).to.deep.equal(['validating/elsewhere']);
    expect(() => asked({ namespace: 'othr' })).to.throw(CalloutNameError, 'namespace "othr" does not exist');
    const unread = { ...facts, namespaces: nothingRead<Namespace>({ what: 'namespaces', why: 'forbidden' }) };
    expect(asked({ namespace: 'othr' }, [], unread)).to.deep.equal([]);
  });
  it('--affecting: those that may intercept requests in the namespace', () => {
    expect(asked({ namespace: 'shop', affecting: true })).to.deep.equal([
      'validating/everywhere',
      'validating/namespaces',
      'crd/widgets.example.com',
      'apiservice/v1beta1.metrics.example.com',
    ]);
    expect(asked({ namespace: 'other', affecting: true })).to.include('validating/elsewhere');
  });
  it('--affecting excludes nothing that was not read', () => {
    const why = { what: 'resource discovery', why: 'forbidden' } as const;
    const unread = { ...facts, served: nothingRead<never>(why), namespaces: nothingRead<Namespace>(why) };
    expect(asked({ namespace: 'shop', affecting: true }, [], unread)).to.include.members([
      'validating/elsewhere',
      'validating/nodes',
    ]);
  });
  it('-l: configurations with these labels', () => {
    expect(asked({ labels: parseLabelSelector('app=policy,tier in (one,two)') })).to.deep.equal([
      'validating/elsewhere',
    ]);
    expect(asked({ labels: parseLabelSelector('!app') })).not.to.include('validating/elsewhere');
  });
  it('a name counts among the selected, and an excluded one is distinguished from a missing one', () => {
    expect(asked({ namespace: 'other' }, ['service/policy'])).to.deep.equal(['validating/elsewhere']);
    expect(() => asked({ namespace: 'other' }, ['nodes'])).to.throw(
      CalloutNameError,
      'not among the webhooks',
    );
    expect(() => asked({ namespace: 'other' }, ['nobody'])).to.throw(
      CalloutNameError,
      'no webhook or APIService',
    );
  });
});
