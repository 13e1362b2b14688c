import { expect } from 'chai';
import { impactOf } from '../../../src/apiserver/admission/impact.ts';
import {
  type ForeseenPod,
  foreseenByService,
  foreseenByWorkload,
  pathRequests,
  requestText,
} from '../../../src/apiserver/deadlock/admission-path.ts';
import { bootstrapOf, mayBlockOwnPods } from '../../../src/apiserver/deadlock/bootstrap.ts';
import { cycleThrough } from '../../../src/apiserver/deadlock/dependency-cycles.ts';
import type { AdmissionCallout, RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete } from '../../../src/facts/lookup.ts';
import type { ServedResources } from '../../../src/facts/served-resources.ts';
import { namespace, objects, service, webhook, workload } from '../../support/snapshot.ts';
import { forbidden } from '../../support/unread.ts';

const facts = {
  namespaces: objects(namespace(), namespace('kube-system'), namespace('kube-node-lease')),
  served: complete<ServedResources>([]),
};
const rule = (resources: string, over: Partial<RuleWithOperations> = {}): RuleWithOperations => ({
  operations: ['*'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: [resources],
  ...over,
});
const on = (resources: string, over: Partial<AdmissionCallout> = {}) =>
  webhook({ rules: [rule(resources)], ...over });
const everything = rule('*/*', { apiGroups: ['*'], apiVersions: ['*'] });
const pod: ForeseenPod = foreseenByWorkload(workload(), service());
const blocked = (callout: AdmissionCallout, like = pod, fromZero = false): readonly string[] | string => {
  const found = bootstrapOf(callout, like, facts, fromZero);
  if (found.outcome === 'blocked') return found.matched.map(({ about }) => requestText(about.request));
  return found.outcome === 'free' ? `free by ${found.by}` : 'unknown';
};

describe('a deadlock on EKS', () => {
  const eks = { ...facts, version: 'v1.33.5-eks-113cf36' };
  const inSystem = { ...pod, namespace: 'kube-system' };
  const outcome = (like: ForeseenPod, resources = 'pods') => bootstrapOf(on(resources), like, eks).outcome;

  it('is unknown for Pods of kube-system and for Leases', () => {
    expect(outcome(inSystem)).to.equal('unknown');
    const leases = rule('leases', { apiGroups: ['coordination.k8s.io'] });
    expect(bootstrapOf(webhook({ rules: [leases] }), pod, eks).outcome).to.equal('unknown');
  });
  it('is certain elsewhere, and for other resources', () => {
    expect(outcome(pod)).to.equal('blocked');
    expect(outcome(inSystem, 'serviceaccounts/token')).to.equal('blocked');
    expect(bootstrapOf(on('pods'), inSystem, { ...facts, version: 'v1.33.5' }).outcome).to.equal('blocked');
  });
});

describe('requestsOf', () => {
  it('returns the requests until a new Pod serves, in order', () => {
    const always = pathRequests(pod, webhook()).filter(({ needed }) => needed === 'always');
    expect(always.map(({ request }) => requestText(request))).to.deep.equal([
      'CREATE pods',
      'CREATE pods/binding',
      'CREATE serviceaccounts/token',
      'UPDATE pods/status',
      'UPDATE endpointslices',
      'UPDATE leases',
      'UPDATE leases',
    ]);
  });
  it('marks requests that are needed only to scale up', () => {
    const others = pathRequests(pod, webhook()).filter(({ needed }) => needed !== 'always');
    expect(others.map(({ request, needed }) => `${requestText(request)}: ${needed}`)).to.deep.equal([
      'UPDATE deployments/scale: from-zero',
      'UPDATE replicasets: from-zero',
    ]);
  });
  it('uses the labels of a template, except those that controllers add', () => {
    const [created] = pathRequests(pod, webhook());
    expect(created?.request.labels).to.deep.equal({ app: 'policy' });
    expect(created?.request.unknownLabels).to.include('pod-template-hash');
  });
  it('uses only the selector for a Pod that is known by its Service', () => {
    const asking = webhook({ objectSelector: { matchLabels: { app: 'policy', tier: 'web' } } });
    const [created] = pathRequests(foreseenByService(service()), asking);
    expect(created?.request.labels).to.deep.equal({ app: 'policy' });
    expect(created?.request.unknownLabels).to.deep.equal(['tier']);
  });
});

describe('impactOf', () => {
  const event = {
    operation: 'CREATE',
    group: '',
    version: 'v1',
    resource: 'events',
    namespace: 'shop',
  } as const;
  const path = [...pathRequests(pod, webhook()), { request: event }];
  const matched = (callout: AdmissionCallout) =>
    impactOf(callout, path, facts).matched.map(({ about }) => requestText(about.request));

  it('names the rule that matches a request', () => {
    const rules = [rule('secrets'), rule('pods')];
    expect(impactOf(webhook({ rules }), path, facts).matched.map((one) => one.rule)).to.deep.equal([
      rules[1],
    ]);
  });
  it('matches all of them with */*, and only Pods with pods', () => {
    expect(matched(webhook({ rules: [everything] }))).to.have.length(path.length);
    expect(matched(on('pods'))).to.deep.equal(['CREATE pods']);
  });
  it('matches an equivalent version, and events in their other group', () => {
    const resource = (group: string, version: string, plural: string) => ({
      group,
      version,
      resource: plural,
      kind: 'X',
      singular: 'x',
      namespaced: true,
      verbs: [],
    });
    const served = complete<ServedResources>([
      [
        'served',
        {
          resources: [
            resource('', 'v1', 'events'),
            resource('events.k8s.io', 'v1', 'events'),
            resource('discovery.k8s.io', 'v1', 'endpointslices'),
            resource('discovery.k8s.io', 'v1beta1', 'endpointslices'),
          ],
          stale: [],
        },
      ],
    ]);
    const by = (one: RuleWithOperations) =>
      impactOf(webhook({ rules: [one] }), path, { ...facts, served }).matched.map(
        ({ about }) => about.request.resource,
      );
    expect(by(rule('events', { apiGroups: ['events.k8s.io'] }))).to.deep.equal(['events']);
    expect(by(rule('*', { apiGroups: ['discovery.k8s.io'], apiVersions: ['v1beta1'] }))).to.deep.equal([
      'endpointslices',
    ]);
    expect(by(rule('pods', { apiGroups: ['metrics.k8s.io'] }))).to.deep.equal([]);
  });
  it('is unknown if facts are missing', () => {
    const conditional = on('pods', {
      matchConditions: [{ name: 'c', expression: 'object.spec.hostNetwork' }],
    });
    expect(impactOf(conditional, path, facts)).to.deep.include({ matched: [] });
    expect(impactOf(conditional, path, facts).undecided.map(({ by }) => by)).to.deep.equal([
      'match-conditions',
    ]);
    const selecting = on('pods', { namespaceSelector: { matchLabels: { guarded: 'yes' } } });
    const { undecided } = impactOf(selecting, path, { ...facts, namespaces: forbidden('namespaces') });
    expect(undecided.map(({ by, unread }) => [by, unread?.why])).to.deep.equal([
      ['namespace-selector', 'forbidden'],
    ]);
  });
});

describe('bootstrapOf', () => {
  it('is a deadlock for each request that a Pod needs', () => {
    expect(blocked(on('pods'))).to.deep.equal(['CREATE pods']);
    expect(blocked(on('pods/*'))).to.deep.equal(['CREATE pods', 'CREATE pods/binding', 'UPDATE pods/status']);
    expect(blocked(on('serviceaccounts/token'))).to.deep.equal(['CREATE serviceaccounts/token']);
    expect(
      blocked(webhook({ rules: [rule('leases', { apiGroups: ['coordination.k8s.io'] })] })),
    ).to.deep.equal(['UPDATE leases', 'UPDATE leases']);
  });
  it('includes the scale only if replicas must be added', () => {
    const scale = webhook({ rules: [rule('*/scale', { apiGroups: ['apps'] })] });
    expect(blocked(scale)).to.equal('free by rules');
    expect(blocked(scale, pod, true)).to.deep.equal(['UPDATE deployments/scale']);
  });
  it('ignores events and conditions, which only report', () => {
    expect(blocked(on('events'))).to.equal('free by rules');
    expect(blocked(webhook({ rules: [rule('*/status', { apiGroups: ['apps'] })] }))).to.equal(
      'free by rules',
    );
  });

  const safe: readonly (readonly [string, AdmissionCallout, string])[] = [
    ['it fails open', on('*/*', { failurePolicy: 'Ignore' }), 'fails-open'],
    ['its rules leave them out', on('secrets'), 'rules'],
    [
      'its own namespace is left out',
      on('pods', {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] }],
        },
      }),
      'namespace-selector',
    ],
    [
      'its own Pods are left out',
      on('pods', { objectSelector: { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] } }),
      'object-selector',
    ],
    [
      'a condition is never met',
      on('pods', { matchConditions: [{ name: 'n', expression: 'false' }] }),
      'match-conditions',
    ],
  ];
  for (const [why, callout, by] of safe) {
    it(`is free when ${why}, and reports the reason`, () => {
      expect(blocked(callout)).to.equal(`free by ${by}`);
      expect(mayBlockOwnPods(callout, pod, facts)).to.equal(false);
    });
  }

  it('is unknown if a label of a controller or a condition decides', () => {
    const hash = { matchExpressions: [{ key: 'pod-template-hash', operator: 'Exists' as const }] };
    for (const over of [
      { objectSelector: hash },
      { matchConditions: [{ name: 'c', expression: 'object.spec.hostNetwork' }] },
    ]) {
      expect(blocked(on('pods', over))).to.equal('unknown');
      expect(mayBlockOwnPods(on('pods', over), pod, facts)).to.equal(true);
    }
  });
  it('is free if the API server itself refuses the request: the namespace does not exist', () => {
    const selecting = on('pods', { namespaceSelector: { matchLabels: { guarded: 'yes' } } });
    expect(bootstrapOf(selecting, { ...pod, namespace: 'gone' }, facts).outcome).to.equal('free');
  });
});

describe('ringThrough', () => {
  const ring = (one: string, edges: Readonly<Record<string, string>>) =>
    cycleThrough(one, Object.keys(edges), (from, to) => (edges[from] ?? '').includes(to));

  it('finds a pair', () => {
    expect(ring('a', { a: 'b', b: 'a' })).to.deep.equal(['a', 'b']);
  });
  it('finds the shortest cycle', () => {
    expect(ring('a', { a: 'bc', b: 'd', c: 'a', d: 'a' })).to.deep.equal(['a', 'c']);
    expect(ring('a', { a: 'be', b: 'c', c: 'd', d: 'a', e: 'd' })).to.deep.equal(['a', 'e', 'd']);
  });
  it('finds none without recovery, or if only others are in one', () => {
    expect(ring('a', { a: 'b', b: 'c', c: '' })).to.equal(undefined);
    expect(ring('a', { a: 'b', b: 'c', c: 'b' })).to.equal(undefined);
    expect(ring('a', { a: '' })).to.equal(undefined);
  });
  it('ignores a node that needs itself', () => {
    expect(ring('a', { a: 'ab', b: 'b' })).to.equal(undefined);
  });
});
