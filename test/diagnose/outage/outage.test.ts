import { expect } from 'chai';
import { catalogue as checks } from '../../../src/checks/catalogue.ts';
import { buildReport } from '../../../src/diagnose/build-report.ts';
import type { BrokenCallout } from '../../../src/diagnose/outage/broken-callout.ts';
import { splitByTime } from '../../../src/diagnose/outage/outage.ts';
import type { OutageReport } from '../../../src/diagnose/report.ts';
import { calloutId, type RuleWithOperations } from '../../../src/facts/callout.ts';
import { complete, nothingRead } from '../../../src/facts/lookup.ts';
import type { EndpointSlice } from '../../../src/facts/objects/endpoint-slice.ts';
import type { ManagedFields } from '../../../src/facts/objects/metadata.ts';
import type { ServedResource, ServedResources } from '../../../src/facts/served-resources.ts';
import type { Facts } from '../../../src/facts/snapshot.ts';
import { empty } from '../../checks/backend/empty-backend.ts';
import { allows, dryRun, proxySays, refused as refusing, tried } from '../../checks/probed.ts';
import { rule } from '../../checks/scope/scopes.ts';
import { anchor, inDays, trusting } from '../../checks/tls/bundles.ts';
import { anotherRoot, issued, served } from '../../checks/tls/serving.ts';
import {
  aggregatedApi,
  conversion,
  healthy,
  lists,
  namespace,
  objects,
  pod,
  slice,
  snapshotOf,
  webhook,
  workload,
} from '../../support/snapshot.ts';

const startOf = (facts: Partial<Facts>): Pick<OutageReport, 'since' | 'sign'> => {
  const { blocked } = buildReport(snapshotOf(facts), facts.callouts ?? [], checks);
  expect(blocked).to.not.be.empty;
  const [{ since, sign }] = blocked as [OutageReport];
  return { ...(since === undefined ? {} : { since }), ...(sign === undefined ? {} : { sign }) };
};

const written = (time: string): ManagedFields => ({
  manager: 'kube-controller-manager',
  operation: 'Update',
  time,
  fieldsV1: { 'f:endpoints': {} },
});
const without = (...slices: readonly EndpointSlice[]): Partial<Facts> =>
  empty({ endpointSlices: lists({ 'shop/policy': slices }), workloads: lists({ shop: [] }) });
const emptied = (...times: readonly string[]): EndpointSlice =>
  slice([], { metadata: { ...slice().metadata, managedFields: times.map(written) } });
const [early, late] = ['2025-12-31T20:00:00Z', '2025-12-31T22:00:00Z'];
const having = (of: ReturnType<typeof workload>): Partial<Facts> =>
  empty({ workloads: lists({ shop: [of] }) });
const replicas = (subresource?: string): ManagedFields => ({
  ...written(early),
  ...(subresource === undefined ? {} : { subresource }),
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
});
const scaled = (managedFields: readonly ManagedFields[]) =>
  having(workload({ metadata: { managedFields }, spec: { replicas: 0 }, status: { replicas: 0 } }));
const refused = (lastTransitionTime?: string) =>
  having(
    workload({
      status: {
        replicas: 0,
        conditions: [
          {
            type: 'ReplicaFailure',
            status: 'True',
            reason: 'FailedCreate',
            message: 'pods "policy-6678d86c-x8kfs" is forbidden: exceeded quota: tight',
            ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
          },
        ],
      },
    }),
  );
const expired = (...days: readonly number[]) => {
  const [first, ...others] = days.map((day) => issued({ server: { notAfter: inDays(day) } }));
  const all = [first, ...others].flatMap((one) => one ?? []);
  return served(
    all.map(({ root }) => root).join(''),
    all.map(({ presented }) => ({ presented })),
  );
};
const day = (days: number): string => inDays(days).toISOString();
const pending = (status: Parameters<typeof pod>[0] = {}) =>
  empty({
    pods: lists({
      'shop/policy': [
        pod({
          metadata: { creationTimestamp: early },
          status: { phase: 'Pending', conditions: [], containerStatuses: [], ...status.status },
        }),
      ],
    }),
  });
const terminating = () => {
  const leaving = { ...namespace(), metadata: { ...namespace().metadata, deletionTimestamp: early } };
  return empty({ services: objects(), namespaces: objects(leaving) });
};

describe('an outage that has not begun', () => {
  const blockedBy = (facts: Partial<Facts>) =>
    buildReport(snapshotOf(facts), facts.callouts ?? [], checks).blocked.map(({ notYet, since }) => [
      notYet,
      since,
    ]);

  it('is marked if a dry run just passed, and new connections are refused', () => {
    const blocked = blockedBy(tried([refusing], { dryRun: dryRun() }));
    expect(blocked).to.not.be.empty;
    for (const one of blocked) expect(one).to.deep.equal([true, undefined]);
  });
  it('is not marked if the webhook denied the dry run', () => {
    const denied = dryRun('admission webhook "policy.example.com" denied the request: no');
    const blocked = blockedBy(tried([refusing], { dryRun: denied }));
    expect(blocked).to.not.be.empty;
    for (const [notYet] of blocked) expect(notYet).to.equal(undefined);
  });
  it('is not marked if the object that was read may be stored in the version of the read', () => {
    const read = (storedVersions: readonly string[]) =>
      blockedBy(
        tried([refusing], { dryRun: dryRun(), facts: { callouts: [conversion({ storedVersions })] } }),
      );
    expect(read(['v1']).map(([notYet]) => notYet)).to.deep.equal([true]);
    expect(read(['v1beta1', 'v1']).map(([notYet]) => notYet)).to.deep.equal([undefined]);
  });
  it('is not marked without a dry run, or if it failed', () => {
    const failed = dryRun(
      'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://policy.shop.svc:443/validate?timeout=10s": dial tcp 203.0.113.9:443: connect: connection refused',
    );
    for (const facts of [tried([refusing]), tried([refusing], { dryRun: failed })]) {
      const blocked = blockedBy(facts);
      expect(blocked).to.not.be.empty;
      for (const [notYet] of blocked) expect(notYet).to.equal(undefined);
    }
  });
});

describe('the start time of an outage', () => {
  const cases: Readonly<Record<string, readonly [Partial<Facts>, Pick<OutageReport, 'since' | 'sign'>]>> = {
    'is the time at which a writer scaled to 0': [scaled([replicas()]), { since: early, sign: 'cause' }],
    'is the same through the scale subresource': [
      scaled([replicas('scale')]),
      { since: early, sign: 'cause' },
    ],
    'is unknown without managedFields': [scaled([]), {}],
    'is the first refusal of Pods': [refused(early), { since: early, sign: 'cause' }],
    'is unknown for a refusal without a time': [refused(), {}],
    'is the end of the serving certificate': [expired(-3), { since: day(-3), sign: 'cause' }],
    'is the last such end, if Pods serve several': [expired(-9, -2), { since: day(-2), sign: 'cause' }],
    'is the end of the last certificate in the caBundle': [
      healthy(trusting(anchor(-300, -100) + anchor(-300, -2, { subject: { cn: 'other-ca' } }))),
      { since: day(-2), sign: 'cause' },
    ],
    'is unknown for a certificate of another signer': [
      served(anotherRoot('other').root, [{ presented: issued().presented }]),
      {},
    ],
    'is the last write of slices without a ready endpoint': [
      without(emptied(early, late), emptied(early)),
      { since: late, sign: 'no-endpoint' },
    ],
    'is unknown if one slice has no time': [without(emptied(late), emptied()), {}],
    'is the creation of a Pod that was never Ready': [pending(), { since: early, sign: 'pods-not-ready' }],
    'is the deletion of the namespace of the Service': [terminating(), { since: early, sign: 'cause' }],
  };
  for (const [name, [facts, expected]] of Object.entries(cases))
    it(name, () => {
      expect(startOf(facts)).to.deep.equal(expected);
    });
});

describe('what the cluster cannot do in an outage', () => {
  const stuck = ['old', 'older'].map((name) => {
    const { metadata } = namespace(name);
    return {
      metadata: { ...metadata, deletionTimestamp: early },
      status: {
        phase: 'Terminating' as const,
        conditions: [
          {
            type: 'NamespaceDeletionDiscoveryFailure',
            status: 'True' as const,
            message:
              'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.example.com/v1beta1: stale GroupVersion discovery: metrics.example.com/v1beta1',
          },
        ],
      },
    };
  });
  const gone = (namespaces: Facts['namespaces']): readonly OutageReport[] => {
    const facts = healthy({ callouts: [aggregatedApi()], services: objects(), namespaces });
    return buildReport(snapshotOf(facts), facts.callouts ?? [], checks).blocked;
  };

  it('names the namespaces that are stuck in Terminating', () => {
    expect(gone(objects(namespace(), ...stuck)).map(({ what }) => what)).to.include(
      'namespaces cannot be deleted, namespaces old and older are stuck in Terminating',
    );
  });

  for (const [group, what] of [
    ['metrics.k8s.io', 'HorizontalPodAutoscalers get no CPU and memory metrics'],
    ['external.metrics.k8s.io', 'HorizontalPodAutoscalers get no external metrics'],
  ] as const)
    it(`contains the autoscalers that wait for ${group}`, () => {
      const callouts = [aggregatedApi({ group, configuration: `v1beta1.${group}` })];
      const facts = healthy({ callouts, services: objects() });
      const { blocked } = buildReport(snapshotOf(facts), facts.callouts ?? [], checks);
      expect(blocked.map((line) => line.what).join('\n')).to.include(what);
    });

  it('names none if none is', () => {
    expect(gone(objects(namespace())).map(({ what }) => what)).to.include('namespaces cannot be deleted');
  });

  it('contains every request for a CRD whose caBundle is not a certificate', () => {
    const lines = (caBundle: string): readonly string[] => {
      const { client, ...rest } = conversion();
      const facts = empty({ callouts: [{ ...rest, client: { ...client, caBundle } }] });
      return buildReport(snapshotOf(facts), facts.callouts ?? [], checks).blocked.map(({ what }) => what);
    };
    expect(lines(Buffer.from('INVALID').toString('base64'))).to.deep.equal(['read or write Widgets']);
    expect(lines(conversion().client.caBundle ?? '')).to.deep.equal([
      'read or write Widgets that need conversion',
    ]);
  });

  it('contains the deletion of a CRD whose objects cannot be converted', () => {
    const { metadata, ...rest } = conversion();
    const deletionTimestamp = '2025-12-31T23:00:00Z';
    const lines = (...storedVersions: readonly string[]) => {
      const facts = empty({
        callouts: [{ ...rest, storedVersions, metadata: { ...metadata, deletionTimestamp } }],
      });
      return buildReport(snapshotOf(facts), facts.callouts ?? [], checks).blocked.map(({ what }) => what);
    };
    expect(lines('v1beta1', 'v1')).to.deep.equal([
      'read or write Widgets that need conversion, or finish the deletion of their CRD',
    ]);
    expect(lines('v1'), 'another finalizer holds it').to.deep.equal([
      'read or write Widgets that need conversion',
    ]);
  });

  describe('of a webhook with failurePolicy Ignore', () => {
    const system = (timeoutSeconds: number, proxy: Parameters<typeof proxySays>[0]): readonly string[] => {
      const rules = [rule('leases', { apiGroups: ['coordination.k8s.io'] })];
      const facts = tried([{ ...allows, proxy: proxySays(proxy) }], {
        facts: {
          callouts: [webhook({ rules, failurePolicy: 'Ignore', timeoutSeconds })],
          namespaces: objects(namespace(), namespace('kube-system'), namespace('kube-node-lease')),
        },
      });
      return buildReport(snapshotOf(facts), facts.callouts ?? [], checks).blocked.map(({ what }) => what);
    };
    it('contains heartbeats that their clients end before it fails open', () => {
      expect(system(10, 'dial tcp 198.51.100.11:8443: i/o timeout')).to.deep.equal([
        'the scheduler and the controller manager lose leader election',
        'nodes become NotReady within a minute',
      ]);
    });
    it('does not contain those that are admitted in time', () => {
      expect(system(2, 'dial tcp 198.51.100.11:8443: i/o timeout')).to.deep.equal([]);
      expect(system(10, 'dial tcp 198.51.100.11:8443: connect: connection refused')).to.deep.equal([]);
    });
  });
});

describe('the order of an outage', () => {
  const resource = (group: string, plural: string, kind: string): ServedResource => ({
    group,
    version: 'v1',
    resource: plural,
    kind,
    singular: kind.toLowerCase(),
    namespaced: true,
    verbs: ['create', 'update'],
  });
  const served = complete<ServedResources>([
    [
      'served',
      {
        resources: [
          resource('', 'pods', 'Pod'),
          resource('batch', 'jobs', 'Job'),
          resource('batch.example.com', 'jobs', 'Job'),
          resource('example.com', 'widgets', 'Widget'),
        ],
        stale: [],
      },
    ],
  ]);
  const failingWith = (
    served: Facts['served'],
    ...rules: readonly (readonly RuleWithOperations[])[]
  ): readonly OutageReport[] => {
    const facts = without(slice([]));
    const callouts = rules.map((one, index) =>
      webhook({
        webhook: `w${index}.example.com`,
        index,
        rules: one,
        namespaceSelector:
          index === 0
            ? {}
            : {
                matchExpressions: [
                  { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['shop'] },
                ],
              },
      }),
    );
    const namespaces = objects(namespace('shop'), namespace('a'), namespace('b'));
    return buildReport(snapshotOf({ ...facts, served, callouts, namespaces }), callouts, checks).blocked;
  };
  const failing = (...rules: Parameters<typeof failingWith>[1][]) => failingWith(served, ...rules);
  const custom = (plural: string, apiGroup = 'example.com') => rule(plural, { apiGroups: [apiGroup] });

  it('has all resources of the core group, which include Pods, before others', () => {
    const blocked = failing(
      [rule('jobs', { apiGroups: ['batch'] })],
      [rule('jobs', { apiGroups: ['batch'] })],
      [rule('*', { operations: ['CREATE'] })],
    );
    expect(blocked.filter(({ kind }) => kind === 'requests')[0]?.what).to.match(
      /^create any resource of the core group/,
    );
  });

  it('is Pods in most namespaces, other built-in resources, and custom resources in all of them', () => {
    const blocked = failing(
      [custom('widgets')],
      [rule('jobs', { apiGroups: ['batch'] })],
      [rule('pods', { operations: ['UPDATE'] })],
      [rule('pods', { operations: ['CREATE'] })],
    );
    expect(
      blocked.filter(({ kind }) => kind === 'requests').map(({ what }) => what.replace(/ in .*/, '')),
    ).to.deep.equal([
      'create Pods',
      'update Pods',
      'create, update or delete Jobs',
      'create, update or delete Widgets',
    ]);
  });

  describe('with a rule of several groups and resources', () => {
    const crossed = rule('pods', {
      apiGroups: ['', 'batch', 'example.com'],
      resources: ['pods', 'jobs', 'widgets'],
    });
    const named = (facts: Facts['served'], of = crossed) =>
      failingWith(facts, [of]).flatMap(({ resources = [] }) => resources);

    it('has each resource in the group that serves it', () => {
      expect(named(served)).to.deep.equal(['Pods', 'Jobs', 'Widgets']);
    });
    it('keeps a group that discovery could not list', () => {
      const stale = complete([
        ['served', { ...(served.get('served') ?? { resources: [] }), stale: ['batch/v1'] }],
      ]);
      expect(named(stale)).to.include('pods');
    });
    it('keeps a resource that no group serves', () => {
      const alone = rule('gadgets', { apiGroups: ['', 'batch'] });
      expect(named(served, alone)).to.deep.equal(['gadgets']);
    });
    it('has the groups of built-in resources without discovery', () => {
      const builtIn = rule('pods', { apiGroups: ['', 'apps'], resources: ['pods', 'deployments'] });
      expect(named(nothingRead({ what: 'discovery', why: 'forbidden' }), builtIn)).to.deep.equal([
        'pods',
        'deployments',
      ]);
    });
  });

  it('of the resources of a line is the same; a custom resource with the kind of a built-in one has its full name', () => {
    const [only] = failing([
      custom('widgets'),
      custom('jobs', 'batch.example.com'),
      rule('jobs', { apiGroups: ['batch'] }),
    ]);
    expect(only?.resources).to.deep.equal(['Jobs', 'Widgets', 'jobs.batch.example.com']);
  });
});

describe('splitByTime', () => {
  const line = (callouts: readonly string[], which: 'all' | 'some' = 'all') =>
    ({ kind: 'requests', what: 'create ConfigMaps', resources: [], which, callouts }) as OutageReport;
  const failing = (count: number, error: string, timeoutSeconds = 10) =>
    Array.from({ length: count }, (_, at): BrokenCallout => {
      const callout = webhook({
        ...{ kind: 'mutating', failurePolicy: 'Ignore', timeoutSeconds },
        webhook: `${at}.example.com`,
        index: at,
      });
      return { callout, report: { verdict: { error } } as BrokenCallout['report'] };
    });
  const split = (all: readonly BrokenCallout[], which?: 'some') => {
    const lines = [
      line(
        all.map(({ callout }) => calloutId(callout)),
        which,
      ),
    ];
    const { late, unchecked } = splitByTime(lines, all, '1.35.4');
    return [late.length, unchecked.length];
  };
  const hangs = 'context deadline exceeded';

  it('counts requests as refused if the webhooks that hang take longer than a write may', () => {
    expect(split(failing(4, hangs))).to.deep.equal([1, 0]);
  });
  it('counts them as unchecked if there is time, no webhook hangs, or only some requests reach them', () => {
    expect(split(failing(3, hangs))).to.deep.equal([0, 1]);
    expect(split(failing(4, hangs, 5))).to.deep.equal([0, 1]);
    expect(split(failing(4, 'dial tcp 203.0.113.10:443: connect: connection refused'))).to.deep.equal([0, 1]);
    expect(split(failing(4, hangs), 'some')).to.deep.equal([0, 1]);
  });
});
