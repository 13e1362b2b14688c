import { expect } from 'chai';
import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import { type MatchFacts, matchRequest } from '../../../src/apiserver/admission/match.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { ServedResource } from '../../../src/facts/served-resources.ts';
import type { Unread } from '../../../src/facts/unread.ts';
import { namespace, objects, webhook } from '../../support/snapshot.ts';

const served = (groupVersion: string, resource: string, kind: string): ServedResource => {
  const [version = '', group = ''] = groupVersion.split('/').reverse();
  return { group, version, resource, kind, singular: '', namespaced: true, verbs: [] };
};
const facts: MatchFacts = {
  namespaces: objects(namespace('shop', { team: 'a' }), namespace('kube-system')),
  served: complete([
    [
      'served',
      {
        resources: [
          served('v1', 'pods', 'Pod'),
          served('v1', 'events', 'Event'),
          served('events.k8s.io/v1', 'events', 'Event'),
          served('apps/v1', 'deployments', 'Deployment'),
          served('apps/v1beta1', 'deployments', 'Deployment'),
          served('apps/v1', 'deployments/scale', 'Scale'),
        ],
        stale: [],
      },
    ],
  ]),
};
const rule = (over: Partial<RuleWithOperations> = {}): RuleWithOperations => ({
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
  ...over,
});
const request = (over: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  namespace: 'shop',
  labels: { app: 'policy' },
  ...over,
});
const deployment = { group: 'apps', resource: 'deployments' };
const verdict = (over: Partial<AdmissionCallout>, asked: AdmissionRequest, version?: string): string => {
  const match = matchRequest(webhook({ rules: [rule()], ...over }), asked, facts, version);
  switch (match.outcome) {
    case 'called':
      return match.as === undefined ? 'called' : `called as ${match.as.group}/${match.as.version}`;
    case 'rejected':
      return match.text;
    default:
      return `${match.outcome}: ${match.by}`;
  }
};
const everything = [rule({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] })];
const notSystem = {
  matchExpressions: [
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn' as const, values: ['kube-system'] },
  ],
};
const teamA = { matchLabels: { team: 'a' } };
const app = { matchLabels: { app: 'policy' } };

const cases: readonly (readonly [string, Partial<AdmissionCallout>, AdmissionRequest, string])[] = [
  ['a Pod', {}, request(), 'called'],
  ['another operation', {}, request({ operation: 'UPDATE' }), 'skipped: rules'],
  ['no rules', { rules: [] }, request(), 'skipped: rules'],
  [
    'a webhook configuration',
    { rules: everything },
    request({ group: 'admissionregistration.k8s.io', resource: 'validatingwebhookconfigurations' }),
    'skipped: admission-configuration',
  ],
  [
    'a CRD, which is not exempt',
    { rules: everything },
    request({ group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }),
    'called',
  ],
  [
    'a Lease of kube-system, which is not exempt',
    { rules: everything },
    request({
      operation: 'UPDATE',
      group: 'coordination.k8s.io',
      resource: 'leases',
      namespace: 'kube-system',
    }),
    'called',
  ],
  ['a namespace whose labels match', { namespaceSelector: teamA }, request(), 'called'],
  [
    'a namespace whose labels do not match',
    { namespaceSelector: teamA },
    request({ namespace: 'kube-system' }),
    'skipped: namespace-selector',
  ],
  ['a namespace outside NotIn', { namespaceSelector: notSystem }, request(), 'called'],
  [
    'a namespace inside NotIn',
    { namespaceSelector: notSystem },
    request({ namespace: 'kube-system' }),
    'skipped: namespace-selector',
  ],
  [
    'a namespace that is missing',
    { namespaceSelector: teamA },
    request({ namespace: 'gone' }),
    'namespaces "gone" not found',
  ],
  ['a namespace that is missing, and a selector of everything', {}, request({ namespace: 'gone' }), 'called'],
  [
    'a namespace that is missing, and no rule',
    { namespaceSelector: teamA, rules: [] },
    request({ namespace: 'gone' }),
    'skipped: rules',
  ],
  [
    'a cluster-scoped object, never left out by a namespaceSelector',
    { namespaceSelector: teamA, rules: everything },
    { operation: 'CREATE', group: '', version: 'v1', resource: 'nodes' },
    'called',
  ],
  [
    'a new Namespace: its new labels count',
    { namespaceSelector: teamA, rules: everything },
    request({ resource: 'namespaces', namespace: 'new', labels: { team: 'a' } }),
    'called',
  ],
  [
    'an updated Namespace: its new labels count',
    { namespaceSelector: teamA, rules: everything },
    request({ operation: 'UPDATE', resource: 'namespaces', labels: {}, oldLabels: { team: 'a' } }),
    'skipped: namespace-selector',
  ],
  [
    'a deleted Namespace: its stored labels count',
    { namespaceSelector: teamA, rules: everything },
    { operation: 'DELETE', group: '', version: 'v1', resource: 'namespaces', namespace: 'shop' },
    'called',
  ],
  [
    'namespaces/finalize: the stored labels count',
    { namespaceSelector: teamA, rules: everything },
    request({ operation: 'UPDATE', resource: 'namespaces', subresource: 'finalize', labels: {} }),
    'called',
  ],
  ['an object whose labels match', { objectSelector: app }, request(), 'called'],
  [
    'an object whose labels do not match',
    { objectSelector: app },
    request({ labels: {} }),
    'skipped: object-selector',
  ],
  [
    'an object that loses its label',
    { objectSelector: app, rules: everything },
    request({ operation: 'UPDATE', labels: {}, oldLabels: { app: 'policy' } }),
    'called',
  ],
  [
    'a deleted object: its stored labels count',
    { objectSelector: app, rules: everything },
    {
      operation: 'DELETE',
      group: '',
      version: 'v1',
      resource: 'pods',
      namespace: 'shop',
      oldLabels: { app: 'policy' },
    },
    'called',
  ],
  [
    'CONNECT, which has no labels',
    { objectSelector: { matchExpressions: [{ key: 'x', operator: 'DoesNotExist' }] }, rules: everything },
    {
      operation: 'CONNECT',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: 'exec',
      namespace: 'shop',
    },
    'skipped: object-selector',
  ],
  [
    'an equivalent version',
    { rules: [rule({ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] })] },
    request({ ...deployment, version: 'v1beta1' }),
    'called as apps/v1',
  ],
  [
    'an equivalent version, Exact',
    { matchPolicy: 'Exact', rules: [rule({ apiGroups: ['apps'], resources: ['deployments'] })] },
    request({ ...deployment, version: 'v1beta1' }),
    'skipped: rules',
  ],
  [
    'events, one resource in two groups',
    { rules: [rule({ resources: ['events'] })] },
    request({ group: 'events.k8s.io', resource: 'events' }),
    'called as /v1',
  ],
  [
    'an equivalent without the subresource',
    { rules: [rule({ apiGroups: ['apps'], apiVersions: ['v1beta1'], resources: ['deployments/scale'] })] },
    request({ ...deployment, operation: 'UPDATE', subresource: 'scale' }),
    'skipped: rules',
  ],
  [
    'the rule as asked before an equivalent',
    {
      rules: [
        rule({ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] }),
        rule({ apiGroups: ['apps'], apiVersions: ['v1beta1'], resources: ['deployments'] }),
      ],
    },
    request({ ...deployment, version: 'v1beta1' }),
    'called',
  ],
  [
    'a matchCondition',
    { matchConditions: [{ name: 'a', expression: 'object.x == 1' }] },
    request(),
    'unknown: match-conditions',
  ],
  [
    'a matchCondition that is always true',
    { matchConditions: [{ name: 'a', expression: ' true ' }] },
    request(),
    'called',
  ],
  [
    'one matchCondition that is false',
    {
      matchConditions: [
        { name: 'a', expression: 'object.x == 1' },
        { name: 'b', expression: 'false' },
      ],
    },
    request(),
    'skipped: match-conditions',
  ],
];

describe('matchRequest', () => {
  for (const [name, callout, asked, expected] of cases) {
    it(`${name}: ${expected}`, () => {
      expect(verdict(callout, asked)).to.equal(expected);
    });
  }

  it('exempts token and access reviews from 1.37 on', () => {
    const review = request({ group: 'authentication.k8s.io', resource: 'tokenreviews' });
    expect(verdict({ rules: everything }, review, 'v1.36.2')).to.equal('called');
    expect(verdict({ rules: everything }, review, 'v1.37.0')).to.equal('skipped: virtual-resource');
    expect(verdict({ rules: everything }, review)).to.equal('skipped: virtual-resource');
  });

  it('exempts mutating policies from 1.32 on', () => {
    const policy = request({ group: 'admissionregistration.k8s.io', resource: 'mutatingadmissionpolicies' });
    expect(verdict({ rules: everything }, policy, 'v1.31.0')).to.equal('called');
    expect(verdict({ rules: everything }, policy, 'v1.32.0')).to.equal('skipped: admission-configuration');
  });

  it('is unknown if namespaces or discovery could not be read, and the result depends on them', () => {
    const unread: Unread = { what: 'namespaces', why: 'forbidden' };
    const blind: MatchFacts = { namespaces: nothingRead(unread), served: nothingRead(unread) };
    const of = (over: Partial<AdmissionCallout>, asked = request()): string =>
      matchRequest(webhook({ rules: [rule()], ...over }), asked, blind).outcome;
    expect(of({})).to.equal('called');
    expect(of({ namespaceSelector: teamA })).to.equal('unknown');
    expect(of({ namespaceSelector: teamA, rules: [] })).to.equal('skipped');
    expect(of({}, request({ resource: 'secrets' }))).to.equal('skipped');
    expect(of({}, request({ version: 'v2' }))).to.equal('unknown');
  });

  it('is unknown if discovery could not list a version that may be an equivalent', () => {
    const stale: MatchFacts = {
      ...facts,
      served: complete([['served', { resources: [], stale: ['apps/v2'] }]]),
    };
    const rules = [rule({ apiGroups: ['apps'], apiVersions: ['v2'], resources: ['deployments'] })];
    expect(matchRequest(webhook({ rules }), request(deployment), stale).outcome).to.equal('unknown');
  });
});
